#include "runtime/memory/windows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/memory/chains.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;

// The search knows of an array in a frame where the array begins in it, and the number around it.
struct ArrayInFrame {
  RegisterId array;
  RegisterId base;
  synth::LiteralId literal;
  synth::Shape at;
  std::size_t body = 0;
};

class WindowSearch {
 public:
  WindowSearch(const synth::Program& program, const TileMaps& tiles)
      : program_(program), tiles_(tiles), uses_(program.registers.size(), 0) {}

  FoundWindows run() {
    walk(program_.body);
    leave_out(program_.outputs);
    // A line of elements that lie apart is read once where it lies; for more it is put side by side.
    std::erase_if(found_.plain, [&](const auto& window) {
      return window.second.moves && reads_[window.first] > 1 && !has_long_rows(window.first);
    });
    for (auto frame = found_.frames.begin(); frame != found_.frames.end();)
      frame = all_look_through(frame->first, frame->second) ? std::next(frame) : found_.frames.erase(frame);
    return std::move(found_);
  }

 private:
  void walk(const synth::Body& body) {
    const std::size_t around = body_;
    const std::size_t own = body_ = bodies_++;
    for (const synth::Step& step : body) {
      std::visit([&](const auto& node) { visit(node); }, step.node);
      body_ = own;
    }
    body_ = around;
  }

  void visit(const synth::Apply& apply) {
    for (const RegisterId id : apply.operands) {
      ++uses_[id.value];
      const auto made_in = made_in_.find(id);
      if (made_in == made_in_.end()) continue;
      const bool is_here = made_in->second == body_;
      if (is_here && is_computed(apply))
        ++reads_[sliced_by(id)];
      else if (is_here && looks_at_line(apply))
        looks_at_.emplace(apply.results[0], sliced_by(id));
      else
        forget(id);
    }
    if (apply.results.empty()) return;
    const RegisterId result = apply.results[0];
    if (looks_at_.contains(result)) made_in_[result] = body_;
    note_frame(apply, result);
    const auto* const assemble = std::get_if<synth::Assemble>(&apply.operation);
    if (assemble == nullptr || is_in_pipeline_ || assemble->has_base || assemble->parts.size() != 1) return;
    const RegisterId source = apply.operands[assemble->parts[0].operand];
    const auto begin = begin_of(assemble->parts[0]);
    if (!begin) return note_moving(result, source, assemble->parts[0]);
    made_in_[result] = body_;
    if (auto window = window_of(result, source, *begin, {})) found_.plain.emplace(result, std::move(*window));
    if (auto window = window_in_frame(result, source, *begin))
      found_.frames[source].through.emplace(result, std::move(*window));
  }
  void visit(const synth::Repeat& repeat) {
    ++uses_[repeat.count.value];
    leave_out(repeat.initial);
    walk(repeat.body);
    leave_out(repeat.next);
  }
  void visit(const synth::Choose& choose) {
    ++uses_[choose.condition.value];
    walk(choose.then_body);
    walk(choose.else_body);
    leave_out(choose.then_results);
    leave_out(choose.else_results);
  }
  // Values that are alive from visit to visit have several places.
  void visit(const synth::Pipeline& pipeline) {
    leave_out(pipeline.initial);
    const bool was_in_pipeline = std::exchange(is_in_pipeline_, true);
    for (const synth::Body& body : pipeline.visits) walk(body);
    is_in_pipeline_ = was_in_pipeline;
    leave_out(pipeline.next);
  }
  void leave_out(const std::vector<RegisterId>& ids) {
    for (const RegisterId id : ids) {
      ++uses_[id.value];
      forget(id);
    }
  }
  void forget(RegisterId id) {
    id = sliced_by(id);
    found_.plain.erase(id);
    for (auto& [frame, of] : found_.frames) of.through.erase(id);
  }

  // The slice that a step looks at under another shape.
  RegisterId sliced_by(RegisterId id) const {
    const auto found = looks_at_.find(id);
    return found == looks_at_.end() ? id : found->second;
  }
  // Does the step look at a window that moves, without some dimensions of one element, or with more of them?
  bool looks_at_line(const synth::Apply& apply) const {
    if (!std::holds_alternative<synth::Reshape>(apply.operation)) return false;
    const auto window = found_.plain.find(sliced_by(apply.operands[0]));
    return window != found_.plain.end() && window->second.moves &&
           differ_in_ones(program_.registers[apply.operands[0]].shape(), program_.registers[apply.results[0]].shape());
  }

  // A slice that begins where numbers say that are known at run time only. Every device has the whole of the dimensions
  // in which it may begin anywhere.
  void note_moving(RegisterId id, RegisterId source, const synth::Part& part) {
    Window window{source, {}, nullptr, true};
    for (std::size_t d = 0; d < part.placements.size(); ++d) {
      const synth::Placement& placement = part.placements[d];
      const bool is_known = placement.scalar < 0;
      const synth::Interval whole{0, program_.registers[source].shape()[d]};
      const auto is_whole = [&](const synth::Box& box) { return box[d] == whole; };
      if (placement.step != 1 || placement.spread != 1 || placement.clips) return;
      if (!is_known && !std::ranges::all_of(tiles_[source].boxes, is_whole)) return;
      window.begin.push_back(is_known ? placement.first - placement.add : 0);
    }
    const synth::ArrayType& type = program_.registers[id];
    if (type.mesh() != program_.registers[source].mesh() || !(has_long_rows(id) || is_long_line(id))) return;
    const auto edges = edges_of(tiles_[id], tiles_[source], type.element(), window.begin);
    if (!edges || *edges != nullptr) return;
    made_in_[id] = body_;
    found_.plain.emplace(id, std::move(window));
  }

  // Numbers that are known when the program is planned, and arrays of one of them.
  void note_frame(const synth::Apply& apply, RegisterId result) {
    if (const auto* constant = std::get_if<synth::Constant>(&apply.operation)) constants_[result] = constant->literal;
    if (std::holds_alternative<synth::Fill>(apply.operation)) {
      const auto number = constants_.find(apply.operands[0]);
      if (number != constants_.end()) filled_[result] = number->second;
    }
    const auto* const assemble = std::get_if<synth::Assemble>(&apply.operation);
    if (assemble == nullptr || is_in_pipeline_ || !assemble->has_base || assemble->parts.size() != 1) return;
    const auto base = filled_.find(apply.operands[0]);
    const synth::ArrayType& type = program_.registers[result];
    if (base == filled_.end() || !type.layout().pending().empty()) return;
    const synth::Part& part = assemble->parts[0];
    auto at = begin_of(part);
    if (!at) return;
    const synth::Shape& extents = program_.registers[apply.operands[part.operand]].shape();
    for (std::size_t d = 0; d < at->size(); ++d) {
      (*at)[d] = -(*at)[d];
      if ((*at)[d] < 0 || (*at)[d] > type.shape()[d] - extents[d]) return;
    }
    framed_.emplace(result, ArrayInFrame{apply.operands[part.operand], base->first, base->second, *at, body_});
    found_.frames[result].made_for_it = {result};
  }

  // Which element of the part is the result's first one; none if that is known at run time only, or others lie between.
  static std::optional<synth::Shape> begin_of(const synth::Part& part) {
    synth::Shape begin;
    for (const synth::Placement& placement : part.placements) {
      if (placement.scalar >= 0 || placement.step != 1 || placement.spread != 1) return std::nullopt;
      begin.push_back(placement.first - placement.add);
    }
    if (begin.empty()) return std::nullopt;
    return begin;
  }

  std::optional<Window> window_in_frame(RegisterId id, RegisterId frame, const synth::Shape& begin) const {
    const auto framed = framed_.find(frame);
    if (framed == framed_.end() || framed->second.body != body_) return std::nullopt;
    synth::Shape inner = begin;
    for (std::size_t d = 0; d < inner.size(); ++d) inner[d] -= framed->second.at[d];
    return window_of(id, framed->second.array, inner, framed->second.literal);
  }
  // Do slices alone read the frame, all of which see the array through it?
  bool all_look_through(RegisterId id, Frame& frame) const {
    if (frame.through.empty() || uses_[id.value] != frame.through.size()) return false;
    const RegisterId base = framed_.at(id).base;
    if (uses_[base.value] == 1) frame.made_for_it.push_back(base);
    return true;
  }

  std::optional<Window> window_of(RegisterId id, RegisterId source, const synth::Shape& begin,
                                  std::optional<synth::LiteralId> frame) const {
    const synth::ArrayType& type = program_.registers[id];
    const bool is_of_one_mesh = type.mesh() == program_.registers[source].mesh();
    if (!is_of_one_mesh || !has_long_rows(id)) return std::nullopt;
    auto edges = edges_of(tiles_[id], tiles_[source], type.element(), begin, frame);
    if (!edges || !are_worth_it(id, edges->get())) return std::nullopt;
    return Window{source, begin, std::move(*edges)};
  }
  static constexpr std::int64_t kShortestRow = 16;
  bool is_long_line(RegisterId id) const {
    const auto has_one = [](const synth::Interval& side) { return side.length() == 1; };
    return std::ranges::all_of(tiles_[id].boxes, [&](const synth::Box& box) {
      const auto longer = std::ranges::find_if_not(box, has_one);
      return longer != box.end() && longer->length() >= kShortestRow && std::all_of(longer + 1, box.end(), has_one);
    });
  }
  bool has_long_rows(RegisterId id) const {
    return std::all_of(tiles_[id].boxes.begin(), tiles_[id].boxes.end(), [](const synth::Box& box) {
      return is_empty(synth::shape_of(box)) || box.back().length() >= kShortestRow;
    });
  }
  // Edges at the sides make several boxes of a tile: small ones are copied more quickly.
  bool are_worth_it(RegisterId id, const WindowEdges* edges) const {
    constexpr std::int64_t kSmallTile = std::int64_t{1} << 15U;
    if (edges == nullptr || tiles_[id].bytes_max >= kSmallTile) return true;
    for (std::size_t d = 1; d < program_.registers[id].rank(); ++d) {
      if (edges->lacks(tiles_[id], d)) return false;
    }
    return true;
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  FoundWindows found_;
  std::vector<std::size_t> uses_;                              // how often each register is read
  std::map<RegisterId, std::size_t> made_in_;                  // the body of each slice
  std::map<RegisterId, RegisterId> looks_at_;                  // a slice, by what is the same under another shape
  std::map<RegisterId, std::size_t> reads_;                    // how often steps that compute read each slice
  std::map<RegisterId, synth::LiteralId> constants_, filled_;  // and their literals
  std::map<RegisterId, ArrayInFrame> framed_;
  std::size_t body_ = 0;
  std::size_t bodies_ = 0;
  bool is_in_pipeline_ = false;
};

}  // namespace

Windows FoundWindows::without(const Copied& copied) const {
  Windows made{plain, {}};
  for (const auto& [id, frame] : frames) {
    if (std::any_of(frame.through.begin(), frame.through.end(),
                    [&](const auto& window) { return copied.contains(window.first); }))
      continue;
    for (const auto& [window, of] : frame.through) made.of.insert_or_assign(window, of);
    made.unmade.insert(frame.made_for_it.begin(), frame.made_for_it.end());
  }
  std::erase_if(made.of, [&](const auto& window) { return copied.contains(window.first); });
  return made;
}

std::optional<synth::RegisterId> FoundWindows::frame_of(synth::RegisterId window) const {
  for (const auto& [id, frame] : frames) {
    if (frame.through.contains(window)) return id;
  }
  return std::nullopt;
}

FoundWindows find_windows(const synth::Program& program, const TileMaps& tiles) {
  return WindowSearch(program, tiles).run();
}

}  // namespace tessera::runtime
