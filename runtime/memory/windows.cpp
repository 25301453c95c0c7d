#include "runtime/memory/windows.hpp"

#include <algorithm>
#include <optional>

#include "runtime/memory/chains.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;

class WindowSearch {
 public:
  WindowSearch(const synth::Program& program, const TileMaps& tiles) : program_(program), tiles_(tiles) {}

  Windows run() {
    walk(program_.body);
    leave_out(program_.outputs);
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
      const auto made_in = made_in_.find(id);
      if (made_in != made_in_.end() && (made_in->second != body_ || !is_computed(apply))) found_.erase(id);
    }
    if (auto window = window_of(apply)) {
      made_in_[apply.results[0]] = body_;
      found_.emplace(apply.results[0], std::move(*window));
    }
  }
  void visit(const synth::Repeat& repeat) {
    leave_out(repeat.initial);
    walk(repeat.body);
    leave_out(repeat.next);
  }
  void visit(const synth::Choose& choose) {
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
    for (const RegisterId id : ids) found_.erase(id);
  }

  std::optional<Window> window_of(const synth::Apply& apply) const {
    const auto* const assemble = std::get_if<synth::Assemble>(&apply.operation);
    if (assemble == nullptr || is_in_pipeline_ || assemble->has_base || assemble->parts.size() != 1)
      return std::nullopt;
    const synth::Part& part = assemble->parts[0];
    const RegisterId result = apply.results[0];
    Window window{apply.operands[part.operand], {}};
    for (const synth::Placement& placement : part.placements) {
      if (placement.scalar >= 0 || placement.step != 1 || placement.spread != 1) return std::nullopt;
      window.begin.push_back(placement.first - placement.add);
    }
    const synth::ArrayType& type = program_.registers[result];
    const bool is_of_one_mesh = type.mesh() == program_.registers[window.source].mesh();
    if (!is_of_one_mesh || window.begin.empty() || !lies_in_tiles(result, window)) return std::nullopt;
    auto edges = edges_of(tiles_[result], tiles_[window.source], type.element(), window.begin);
    if (!edges) return std::nullopt;
    window.edges = std::move(*edges);
    return window;
  }

  // Has each device all of its tile, but for indices of the first dimension, in rows long enough?
  bool lies_in_tiles(RegisterId id, const Window& window) const {
    constexpr std::int64_t kShortestRow = 16;
    const TileMap& inner = tiles_[id];
    const TileMap& outer = tiles_[window.source];
    for (std::size_t device = 0; device < inner.boxes.size(); ++device) {
      const synth::Box& box = inner.boxes[device];
      const synth::Box& around = outer.boxes[device];
      if (is_empty(synth::shape_of(box))) continue;
      for (std::size_t d = 1; d < box.size(); ++d) {
        if (box[d].begin + window.begin[d] < around[d].begin || box[d].end + window.begin[d] > around[d].end)
          return false;
      }
      if (box.back().length() < kShortestRow) return false;
    }
    return true;
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  Windows found_;
  std::map<RegisterId, std::size_t> made_in_;  // the body of each that was found
  std::size_t body_ = 0;
  std::size_t bodies_ = 0;
  bool is_in_pipeline_ = false;
};

}  // namespace

Windows find_windows(const synth::Program& program, const TileMaps& tiles) {
  return WindowSearch(program, tiles).run();
}

}  // namespace tessera::runtime
