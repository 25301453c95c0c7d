// Typed -> Program. Calls are inlined: the registers of an inlined body are a map of their own, in which nodes of the
// program's top level are still seen.
#include "typeck/typed/lower.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "synth/kinds.hpp"
#include "synth/program/contraction.hpp"
#include "synth/program/registers.hpp"
#include "synth/program/schedule/visits.hpp"
#include "typeck/typed/contractions.hpp"
#include "typeck/typed/early_indices.hpp"
#include "typeck/typed/early_slices.hpp"
#include "typeck/typed/outer_product.hpp"
#include "typeck/typed/turned_matrices.hpp"
#include "typeck/typed/unused_scalars.hpp"

namespace tessera::typeck {

namespace {

using synth::RegisterId;
using Registers = std::map<NodeId, std::vector<RegisterId>>;

// The program has too many steps, and the statement is the one that crosses the limit; thrown inside this file only.
struct TooLarge {
  base::Span statement;
};

// Leaves out what nobody has to make, and brings together what is taken together.
void make_less(synth::Program& program) {
  UnusedScalars(program).drop();
  slice_early(program);
  turn_matrices(program);
  take_indices_first(program);
}

class Lowering {
 public:
  Lowering(const Typed& typed, Keep keep, base::StopToken stop, std::size_t steps_max)
      : typed_(typed), keep_(keep), stop_(stop), steps_max_(steps_max) {
    lowered_.program.literals = typed.literals;
    lowered_.program.strings = typed.strings;
  }

  LoopDraft draft(const Loop& loop) {
    is_draft_ = true;
    LoopDraft made;
    Registers local;
    local[loop.index] = {fresh(typed_.type(loop.index))};
    for (const NodeId index : loop.indices_elsewhere) local[index] = {fresh(typed_.type(index))};
    for (const NodeId parameter : loop.parameters) {
      made.parameters.push_back(fresh(typed_.type(parameter)));
      local[parameter] = {made.parameters.back()};
    }
    made.next = nested(loop.body, made.body, local);
    UnusedScalars(lowered_.program).drop(made.body, made.next);
    made.program = std::move(lowered_.program);
    for (const Origin& origin : lowered_.origins) made.spans.push_back(origin.span);
    return made;
  }

  Lowered alone(const Region& nodes) {
    is_draft_ = true;
    body_ = &lowered_.program.body;
    region(nodes, global_);
    lowered_.program.outputs = many(nodes.results, global_);
    make_less(lowered_.program);
    std::set<RegisterId> made;
    synth::for_each_written(lowered_.program.body, [&](RegisterId id) { made.insert(id); });
    std::set<RegisterId> given;
    const auto note = [&](RegisterId id) {
      if (!made.contains(id)) given.insert(id);
    };
    synth::for_each_read(lowered_.program.body, note);
    std::ranges::for_each(lowered_.program.outputs, note);
    lowered_.program.inputs.assign(given.begin(), given.end());
    return std::move(lowered_);
  }

  Lowered all() {
    body_ = &lowered_.program.body;
    for (std::size_t k = 0; k < typed_.statements.size(); ++k) {
      statement_ = static_cast<std::uint32_t>(k);
      region(typed_.statements[k].region, global_);
    }
    add_outputs();
    return std::move(lowered_);
  }

 private:
  RegisterId fresh(const ArrayType& type) { return lowered_.program.registers.add(type); }

  std::uint32_t origin(const Node& node) {
    const auto [at, is_new] = origins_.emplace(std::tuple(node.span, statement_, node.pass),
                                               static_cast<std::uint32_t>(lowered_.origins.size()));
    if (is_new) lowered_.origins.push_back(Origin{node.span, statement_, node.pass});
    return at->second;
  }

  void count(const Node& from, std::size_t& counted) {
    stop_.look();
    if (++counted > steps_max_)
      throw TooLarge{statement_ < typed_.statements.size() ? typed_.statements[statement_].span : from.span};
  }

  void step(const Node& from, decltype(synth::Step::node) node) {
    count(from, steps_);
    body_->push_back(synth::Step{origin(from), std::move(node)});
  }

  const std::vector<RegisterId>& registers(NodeId id, Registers& local) {
    if (const auto found = local.find(id); found != local.end()) return found->second;
    if (const auto found = global_.find(id); found != global_.end()) return found->second;
    const Node& node = typed_.nodes[id];
    if (is_draft_) return global_.emplace(id, fresh_all(node.types)).first->second;
    const auto* input = std::get_if<Input>(&node.body);
    TESSERA_CHECK(input != nullptr, "a node is used where it was not computed");
    const RegisterId made = fresh(node.types.at(0));
    lowered_.program.inputs.push_back(made);
    lowered_.input_slots.push_back(input->slot);
    return global_.emplace(id, std::vector{made}).first->second;
  }

  RegisterId one(NodeId id, Registers& local) { return registers(id, local).at(0); }

  std::vector<RegisterId> many(const std::vector<NodeId>& ids, Registers& local) {
    std::vector<RegisterId> all;
    for (const NodeId id : ids) all.push_back(one(id, local));
    return all;
  }

  void region(const Region& nodes, Registers& local) {
    for (const NodeId id : nodes.order) {
      const Node& node = typed_.nodes[id];
      std::visit([&](const auto& body) { local[id] = lower(node, body, local); }, node.body);
    }
  }

  // Lowers a region into a body of its own and gives the registers of its results.
  std::vector<RegisterId> nested(const Region& nodes, synth::Body& body, Registers& local) {
    synth::Body* const outer = std::exchange(body_, &body);
    region(nodes, local);
    auto results = many(nodes.results, local);
    body_ = outer;
    return results;
  }

  std::vector<RegisterId> fresh_all(const std::vector<ArrayType>& types) {
    std::vector<RegisterId> all;
    for (const ArrayType& type : types) all.push_back(fresh(type));
    return all;
  }

  std::vector<RegisterId> lower(const Node&, const Parameter&, Registers&) {
    TESSERA_CHECK(false, "a parameter is not computed");
  }
  std::vector<RegisterId> lower(const Node&, const Input&, Registers&) {
    TESSERA_CHECK(false, "an input is not computed");
  }

  std::vector<RegisterId> lower(const Node& node, const Compute& body, Registers& local) {
    auto operands = many(body.operands, local);
    auto results = fresh_all(node.types);
    if (const auto* sum = std::get_if<synth::Contract>(&body.operation))
      contract(node, *sum, std::move(operands), results[0]);
    else
      step(node, synth::Apply{body.operation, std::move(operands), results});
    return results;
  }

  // An Einstein sum of several operands is taken in pairs, the last of which gives the result.
  void contract(const Node& node, const synth::Contract& sum, std::vector<RegisterId> made, RegisterId result) {
    const auto& types = lowered_.program.registers;
    std::vector<synth::Shape> shapes;
    for (const RegisterId id : made) shapes.push_back(types[id].shape());
    const std::vector<synth::ContractionStep> steps = synth::contraction_steps(sum, shapes);
    if (steps.empty()) return multiply(node, sum, std::move(made), result);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      std::vector<RegisterId> operands;
      std::vector<const ArrayType*> operand_types;
      for (const std::size_t number : steps[k].operands) {
        operands.push_back(made[number]);
        operand_types.push_back(&types[made[number]]);
      }
      made.push_back(k + 1 == steps.size() ? result : fresh(contracted(steps[k].how, operand_types)));
      multiply(node, steps[k].how, std::move(operands), made.back());
    }
  }
  // One sum, of products; without anything to add up the products alone.
  void multiply(const Node& node, const synth::Contract& sum, std::vector<RegisterId> operands, RegisterId result) {
    std::vector<const ArrayType*> types;
    for (const RegisterId id : operands) types.push_back(&lowered_.program.registers[id]);
    const auto factors = outer_factors(sum, types);
    if (!factors) return step(node, synth::Apply{sum, std::move(operands), {result}});
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (lowered_.program.registers[operands[k]] == (*factors)[k]) continue;
      const RegisterId reshaped = fresh((*factors)[k]);
      step(node, synth::Apply{synth::Reshape{}, {operands[k]}, {reshaped}});
      operands[k] = reshaped;
    }
    step(node, synth::Apply{synth::Map{synth::MapOp::multiply}, std::move(operands), {result}});
  }

  std::vector<RegisterId> lower(const Node& node, const Redistribute& body, Registers& local) {
    RegisterId current = one(body.operand, local);
    for (const synth::PlanStep& plan_step : body.plan->steps) {
      const RegisterId next = fresh(plan_step.after);
      step(node, synth::Apply{synth::Collect{plan_step.collective, 1}, {current}, {next}});
      current = next;
    }
    // A plan may end in the same tiles written in another way (an extent of 0 or 1 that is split).
    if (lowered_.program.registers[current] == node.types.at(0)) return {current};
    const RegisterId rewritten = fresh(node.types.at(0));
    step(node, synth::Apply{synth::Reshape{}, {current}, {rewritten}});
    return {rewritten};
  }

  // Calls count by themselves, since a function may have no steps.
  std::vector<RegisterId> lower(const Node& node, const Call& body, Registers& local) {
    count(node, calls_);
    const Instance& instance = typed_.instances[body.instance];
    Registers own;
    for (std::size_t k = 0; k < body.arguments.size(); ++k)
      own[instance.parameters[k]] = {one(body.arguments[k], local)};
    region(instance.body, own);
    return many(instance.body.results, own);
  }

  std::vector<RegisterId> lower(const Node& node, const Loop& body, Registers& local) {
    if (body.pipeline != nullptr) return pipeline(node, body, local);
    synth::Repeat repeat;
    repeat.count = one(body.count, local);
    repeat.initial = many(body.initial, local);
    repeat.index = fresh(typed_.type(body.index));
    local[body.index] = {repeat.index};
    for (const NodeId index : body.indices_elsewhere) {
      repeat.indices_elsewhere.push_back(fresh(typed_.type(index)));
      local[index] = {repeat.indices_elsewhere.back()};
    }
    for (const NodeId parameter : body.parameters) {
      repeat.parameters.push_back(fresh(typed_.type(parameter)));
      local[parameter] = {repeat.parameters.back()};
    }
    repeat.condition = body.condition;
    repeat.is_limited = body.is_limited;
    repeat.next = nested(body.body, repeat.body, local);
    repeat.results = fresh_all(node.types);
    auto results = repeat.results;
    step(node, std::move(repeat));
    return results;
  }

  std::vector<RegisterId> pipeline(const Node& node, const Loop& body, Registers& local) {
    synth::Pipeline made;
    made.count = body.pipeline->microbatches;
    made.initial = many(body.initial, local);
    const auto given = [&](NodeId parameter) {
      local[parameter] = {fresh(typed_.type(parameter))};
      return local[parameter][0];
    };
    made.indices.push_back(given(body.index));
    for (const NodeId index : body.indices_elsewhere) made.indices.push_back(given(index));
    for (const NodeId parameter : body.parameters) made.parameters.push_back(given(parameter));
    synth::Body flat;
    made.next = nested(body.body, flat, local);
    UnusedScalars(lowered_.program).drop(flat, made.next);
    const auto cut = synth::cut_visits(lowered_.program, flat, made.parameters, made.next);
    const auto* visits = std::get_if<synth::Cut>(&cut);
    TESSERA_CHECK(visits != nullptr && visits->visits.size() == body.pipeline->shape.visits.size(),
                  "a pipeline is cut otherwise than when it was checked");
    made.carried_by = visits->carried_by;
    made.visits = synth::visit_bodies(*visits, std::move(flat), synth::is_late(body.pipeline->schedule));
    made.order = body.pipeline->order;
    made.results = fresh_all(node.types);
    auto results = made.results;
    step(node, std::move(made));
    return results;
  }

  std::vector<RegisterId> lower(const Node& node, const If& body, Registers& local) {
    synth::Choose choose;
    choose.condition = one(body.condition, local);
    choose.then_results = nested(body.then_region, choose.then_body, local);
    choose.else_results = nested(body.else_region, choose.else_body, local);
    choose.results = fresh_all(node.types);
    auto results = choose.results;
    step(node, std::move(choose));
    return results;
  }

  std::vector<RegisterId> lower(const Node&, const Again& body, Registers& local) {
    region(body.body, local);
    return many(body.body.results, local);
  }

  std::vector<RegisterId> lower(const Node&, const Element& body, Registers& local) {
    return {registers(body.tuple, local).at(body.index)};
  }

  void add_outputs() {
    if (keep_ == Keep::nothing) return;
    for (const TypedStatement& statement : typed_.statements) {
      for (const Bound& bound : statement.bound) {
        if (typed_.hidden_slots.contains(bound.slot)) continue;
        lowered_.program.outputs.push_back(one(bound.node, global_));
        lowered_.output_slots.push_back(bound.slot);
      }
    }
  }

  const Typed& typed_;
  Keep keep_;
  Lowered lowered_;
  Registers global_;
  base::StopToken stop_;
  synth::Body* body_ = nullptr;
  bool is_draft_ = false;
  std::uint32_t statement_ = 0;
  std::size_t steps_max_;
  std::size_t steps_ = 0;
  std::size_t calls_ = 0;
  std::map<std::tuple<base::Span, std::uint32_t, synth::Pass>, std::uint32_t> origins_;
};

}  // namespace

std::optional<LoopDraft> draft_of(const Typed& typed, const Loop& loop, base::StopToken stop, std::size_t steps_max) {
  try {
    return Lowering(typed, Keep::nothing, stop, steps_max).draft(loop);
  } catch (const TooLarge&) {
    return std::nullopt;
  }
}

std::optional<Lowered> lower_alone(const Typed& typed, const Region& region, base::StopToken stop,
                                   std::size_t steps_max) {
  try {
    return Lowering(typed, Keep::nothing, stop, steps_max).alone(region);
  } catch (const TooLarge&) {
    return std::nullopt;
  }
}

base::Result<Lowered> lower(const Typed& typed, Keep keep, base::StopToken stop, std::size_t steps_max) {
  return base::guarded_until_stopped([&]() -> base::Result<Lowered> {
    TESSERA_TRY_STATUS(verify(typed));
    try {
      Lowered lowered = Lowering(typed, keep, stop, steps_max).all();
      make_less(lowered.program);
      return lowered;
    } catch (const TooLarge& program) {
      return base::make(synth::Kind::program_too_large, steps_max, "steps").at(program.statement);
    }
  });
}

}  // namespace tessera::typeck
