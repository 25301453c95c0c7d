#include "runtime/memory/liveness.hpp"

#include "base/check.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/memory/pins.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;
using Where = RegisterPlan::Where;

class LivenessWalk {
 public:
  LivenessWalk(const synth::Program& program, const TileMaps& tiles, const Copied& copied, MemoryPlan& plan)
      : program_(program), tiles_(tiles), copied_(copied), plan_(plan), pins_(tiles, plan) {
    plan_.registers.resize(program.registers.size());
    result_.lives.resize(program.registers.size());
  }

  Liveness run() {
    begin_body();
    for (const RegisterId input : program_.inputs) define(input, Where::input);
    walk(program_.body);
    for (const RegisterId output : program_.outputs) use(output);
    result_.worth_copying = pins_.worth_copying(result_.lives);
    return std::move(result_);
  }

 private:
  RegisterPlan& plan(RegisterId id) { return plan_.registers[id.value]; }
  Life& life(RegisterId id) { return result_.lives[id.value]; }

  void define(RegisterId id, Where where) {
    plan(id).where = where;
    plan(id).root = id;
    life(id) = Life{now_.size() - 1, now_.back(), now_.back(), false};
    if (where == Where::arena) pins_.note_made(bodies_.back(), now_.back(), id);
  }
  void define_view(RegisterId id, Where where, RegisterId source) {
    plan(id).where = where;
    plan(id).source = source;
    plan(id).root = plan(source).root;
    plan(id).dense = where == Where::reshape || slices_are_dense(id, source);
    if (where == Where::slice) pins_.note_slice(bodies_.back(), id);
  }
  void use(RegisterId id) {
    pins_.note_use(id, now_, result_.lives);
    Life& root = life(plan(id).root);
    root.last_use = now_[root.depth];
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
      std::visit([&](const auto& node) { step(node); }, body[i].node);
    }
    now_.back() = body.size();
  }

  void step(const synth::Apply& apply) {
    use_all(apply.operands);
    if (apply.results.empty()) return;
    const RegisterId result = apply.results[0];
    const auto* collect = std::get_if<synth::Collect>(&apply.operation);
    if (collect != nullptr && collect->collective.kind == synth::CollectiveKind::slice) {
      if (copied_.contains(result))
        define(result, Where::arena);
      else
        define_view(result, Where::slice, apply.operands[0]);
    } else if (std::holds_alternative<synth::Reshape>(apply.operation) && plan(apply.operands[0]).dense) {
      define_view(result, Where::reshape, apply.operands[0]);
    } else {
      define(result, Where::arena);
    }
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
    finish_body(repeat.next);
    end_body();
    for (const RegisterId result : repeat.results) define(result, Where::arena);
  }
  void define_of_loop(RegisterId id) {
    define(id, Where::arena);
    life(id).belongs_to_loop = true;
  }

  void step(const synth::Choose& choose) {
    use(choose.condition);
    branch(choose.then_body, choose.then_results);
    branch(choose.else_body, choose.else_results);
    for (const RegisterId result : choose.results) define(result, Where::arena);
  }
  void branch(const synth::Body& body, const std::vector<RegisterId>& results) {
    begin_body();
    walk(body);
    finish_body(results);
    end_body();
  }

  // What the body itself makes can be made where it is wanted.
  void finish_body(const std::vector<RegisterId>& results) {
    use_all(results);
    for (const RegisterId id : results) {
      const bool made_here = life(id).depth == now_.size() - 1 && !life(id).belongs_to_loop;
      if (plan(id).where == Where::arena && made_here) plan(id).direct = true;
    }
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  const Copied& copied_;
  MemoryPlan& plan_;
  Pins pins_;
  Liveness result_;
  std::vector<std::size_t> now_;     // the present step of every body around, the program's first
  std::vector<std::size_t> bodies_;  // the numbers of these bodies
  std::size_t bodies_begun_ = 0;
};

}  // namespace

Liveness find_lives(const synth::Program& program, const TileMaps& tiles, const Copied& copied, MemoryPlan& plan) {
  return LivenessWalk(program, tiles, copied, plan).run();
}

}  // namespace tessera::runtime
