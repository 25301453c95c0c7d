#include "runtime/memory/liveness.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/memory/pins.hpp"
#include "synth/program/pipeline_order.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;
using Where = RegisterPlan::Where;

class LivenessWalk {
 public:
  LivenessWalk(const synth::Program& program, const TileMaps& tiles, const Windows& windows, const WrittenParts& parts,
               const Copied& copied, MemoryPlan& plan)
      : program_(program),
        tiles_(tiles),
        windows_(windows),
        parts_(parts),
        copied_(copied),
        plan_(plan),
        pins_(tiles, plan) {
    plan_.registers.resize(program.registers.size());
    result_.lives.resize(program.registers.size());
  }

  Liveness run() {
    begin_body();
    for (const RegisterId input : program_.inputs) define(input, Where::input);
    walk(program_.body);
    for (const RegisterId output : program_.outputs) use(output);
    result_.worth_copying = pins_.worth_copying(result_.lives);
    result_.sliced = std::move(pins_).take_sliced();
    return std::move(result_);
  }

 private:
  RegisterPlan& plan(RegisterId id) { return plan_.registers[id.value]; }
  Lifetime& life(RegisterId id) { return result_.lives[id.value]; }

  void define(RegisterId id, Where where) {
    plan(id).where = where;
    plan(id).root = id;
    life(id) = Lifetime{now_.size() - 1, now_.back(), now_.back(), false, bodies_.back()};
    if (where == Where::arena) pins_.note_made(bodies_.back(), now_.back(), id);
  }
  void define_view(RegisterId id, Where where, RegisterId source) {
    plan(id).where = where;
    plan(id).source = source;
    plan(id).root = plan(source).root;
    plan(id).dense = where == Where::reshape ? plan(source).dense : slices_are_dense(id, source);
    if (where == Where::slice) pins_.note_slice(bodies_.back(), id);
  }
  // Steps of this body alone read a window.
  void define_edges(RegisterId window, const std::shared_ptr<const WindowEdges>& edges) {
    plan(window).edges = edges;
    plan(window).dense = false;
    life(window) = Lifetime{now_.size() - 1, now_.back(), now_.back(), false, bodies_.back()};
  }
  // A part is used by the step that lays it, which makes what it is a part of.
  void define_part(RegisterId id, const WrittenPart& part) {
    plan(id).where = Where::part;
    plan(id).source = plan(id).root = part.result;
    plan(id).begin = part.begin;
    define_edges(id, part.edges);
  }
  void use(RegisterId id) {
    if (plan(id).where == Where::part) {
      life(id).last_use = now_.back();
      return;
    }
    pins_.note_use(id, now_, result_.lives);
    if (plan(id).edges != nullptr) life(id).last_use = now_.back();
    Lifetime& root = life(plan(id).root);
    root.last_use = now_[root.depth];
    const bool is_kept = readers_.contains(plan(id).root);
    if (root.body != bodies_[root.depth] && (is_kept || !root.belongs_to_loop)) keep(plan(id).root);
  }
  // A visit of a pipeline reads what another one made: that has places of its own, and dies in no step.
  void keep(RegisterId root) {
    Lifetime& own = life(root);
    readers_[root].insert(bodies_[own.depth]);
    own.belongs_to_loop = true;
    own.last_use = std::numeric_limits<std::size_t>::max();
  }
  void use_all(const std::vector<RegisterId>& ids) {
    for (const RegisterId id : ids) use(id);
  }

  // Are the boxes of `part` consecutive within the dense boxes of `source`, on every device?
  bool slices_are_dense(RegisterId part, RegisterId source) const {
    if (!plan_[source].dense) return false;
    const TileMap& inner = tiles_[part];
    const TileMap& outer = tiles_[source];
    for (std::size_t device = 0; device < inner.boxes.size(); ++device) {
      const synth::Shape strides = dense_strides(synth::shape_of(outer.boxes[device]));
      if (!is_dense(synth::shape_of(inner.boxes[device]), strides)) return false;
    }
    return true;
  }

  void begin_body() {
    now_.push_back(0);
    bodies_.push_back(bodies_begun_++);
  }
  void end_body() {
    now_.pop_back();
    bodies_.pop_back();
  }

  // Leaves the body's length as the present: what is used then is used at the body's end.
  void walk(const synth::Body& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      now_.back() = i;
      const std::size_t end = synth::company_end(body, i);
      if (end > i + 1 || synth::joins(body[i])) {
        step_in_company(std::get<synth::Apply>(body[i].node), i, end - 1);
        continue;
      }
      std::visit([&](const auto& node) { step(node); }, body[i].node);
    }
    now_.back() = body.size();
  }

  // Relays that go on at once need their operands until the last of them has ended, and have their results until then.
  void step_in_company(const synth::Apply& apply, std::size_t now, std::size_t last) {
    now_.back() = last;
    use_all(apply.operands);
    now_.back() = now;
    define(apply.results[0], Where::arena);
    life(apply.results[0]).last_use = last;
  }

  void step(const synth::Apply& apply) {
    const auto window = apply.results.empty() ? windows_.of.end() : windows_.of.find(apply.results[0]);
    if (!apply.results.empty() && windows_.unmade.contains(apply.results[0]))
      return define(apply.results[0], Where::nowhere);
    if (window == windows_.of.end() || window->second.moves)
      use_all(apply.operands);
    else
      use(window->second.source);
    if (apply.results.empty()) return;
    const RegisterId result = apply.results[0];
    if (const auto part = parts_.find(result); part != parts_.end()) return define_part(result, part->second);
    const auto* collect = std::get_if<synth::Collect>(&apply.operation);
    if (window != windows_.of.end()) {
      define_view(result, Where::slice, window->second.source);
      plan(result).begin = window->second.begin;
      plan(result).moves = window->second.moves;
      if (window->second.edges != nullptr) define_edges(result, window->second.edges);
    } else if (collect != nullptr && std::holds_alternative<synth::Slice>(collect->collective.effect)) {
      if (copied_.contains(result))
        define(result, Where::arena);
      else
        define_view(result, Where::slice, apply.operands[0]);
    } else if (std::holds_alternative<synth::Reshape>(apply.operation) && is_view(apply)) {
      define_view(result, Where::reshape, apply.operands[0]);
    } else {
      define(result, Where::arena);
    }
  }

  // Under another shape, can the elements be read where they lie? Those of a line that lie apart can.
  bool is_view(const synth::Apply& reshape) const {
    const RegisterId from = reshape.operands[0];
    if (plan_[from].dense) return true;
    const bool is_line = plan_[from].moves || plan_[from].where == Where::reshape;
    return is_line && differ_in_ones(program_.registers[from].shape(), program_.registers[reshape.results[0]].shape());
  }

  void step(const synth::Repeat& repeat) {
    use(repeat.count);
    use_all(repeat.initial);
    begin_body();
    define_of_loop(repeat.index);
    for (const RegisterId index : repeat.indices_elsewhere) define_of_loop(index);
    for (std::size_t k = 0; k < repeat.parameters.size(); ++k) {
      define_of_loop(repeat.parameters[k]);
      plan(repeat.parameters[k]).dense = plan(repeat.initial[k]).dense;
    }
    walk(repeat.body);
    finish_body(repeat.next, repeat.results);
    end_body();
    for (const RegisterId result : repeat.results) define(result, Where::arena);
  }
  void define_of_loop(RegisterId id) {
    define(id, Where::arena);
    life(id).belongs_to_loop = true;
  }

  void step(const synth::Pipeline& pipeline) {
    use_all(pipeline.initial);
    std::vector<std::size_t> numbers;  // of the visits' bodies
    for (std::size_t v = 0; v < pipeline.visits.size(); ++v) {
      begin_body();
      numbers.push_back(bodies_.back());
      if (v == 0) define_given(pipeline);
      walk(pipeline.visits[v]);
      std::vector<RegisterId> next;
      std::vector<RegisterId> results;
      for (std::size_t k = 0; k < pipeline.next.size(); ++k) {
        if (pipeline.carried_by[k] != v) continue;
        next.push_back(pipeline.next[k]);
        results.push_back(pipeline.results[k]);
      }
      finish_body(next, results);
      end_body();
    }
    note_microbatches(pipeline, numbers);
    for (const RegisterId result : pipeline.results) define(result, Where::arena);
  }
  void define_given(const synth::Pipeline& pipeline) {
    for (const RegisterId index : pipeline.indices) define_of_loop(index);
    for (std::size_t k = 0; k < pipeline.parameters.size(); ++k) {
      define_of_loop(pipeline.parameters[k]);
      plan(pipeline.parameters[k]).dense = plan(pipeline.initial[k]).dense;
    }
  }
  void note_microbatches(const synth::Pipeline& pipeline, const std::vector<std::size_t>& numbers) {
    const auto visit_of = [&](std::size_t body) {
      const auto found = std::find(numbers.begin(), numbers.end(), body);
      return static_cast<std::uint32_t>(found - numbers.begin());
    };
    std::vector<std::vector<RegisterId>>& turning = result_.turning[&pipeline];
    turning.resize(pipeline.visits.size());
    for (const auto& [root, bodies] : readers_) {
      const std::uint32_t maker = visit_of(life(root).body);
      if (maker == numbers.size()) continue;  // of another pipeline
      std::vector<std::uint32_t> readers;
      for (const std::size_t body : bodies) readers.push_back(visit_of(body));
      plan(root).microbatch_offsets.resize(static_cast<std::size_t>(synth::buffers_of_value(pipeline, maker, readers)));
      turning[maker].push_back(root);
      for (const std::uint32_t reader : readers) turning[reader].push_back(root);
    }
  }

  void step(const synth::Choose& choose) {
    use(choose.condition);
    branch(choose.then_body, choose.then_results, choose.results);
    branch(choose.else_body, choose.else_results, choose.results);
    for (const RegisterId result : choose.results) define(result, Where::arena);
  }
  void branch(const synth::Body& body, const std::vector<RegisterId>& values, const std::vector<RegisterId>& results) {
    begin_body();
    walk(body);
    finish_body(values, results);
    end_body();
  }

  // A value that the body itself makes can be made in its final place, the first if it is given several times.
  void finish_body(const std::vector<RegisterId>& values, const std::vector<RegisterId>& results) {
    use_all(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const RegisterId id = values[k];
      const bool made_here =
          life(id).depth == now_.size() - 1 && !life(id).belongs_to_loop && life(id).body == bodies_.back();
      const bool is_free = plan(id).where == Where::arena && !plan(id).written_to.valid();
      if (made_here && is_free) plan(id).written_to = results[k];
    }
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  const Windows& windows_;
  const WrittenParts& parts_;
  const Copied& copied_;
  MemoryPlan& plan_;
  Pins pins_;
  Liveness result_;
  std::vector<std::size_t> now_;     // the present step of every body around, the program's first
  std::vector<std::size_t> bodies_;  // the numbers of these bodies
  std::size_t bodies_begun_ = 0;
  std::map<RegisterId, std::set<std::size_t>> readers_;  // of what visits make for others: the bodies that read it
};

}  // namespace

Liveness find_lives(const synth::Program& program, const TileMaps& tiles, const Windows& windows,
                    const WrittenParts& parts, const Copied& copied, MemoryPlan& plan) {
  return LivenessWalk(program, tiles, windows, parts, copied, plan).run();
}

}  // namespace tessera::runtime
