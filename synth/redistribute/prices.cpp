#include "synth/redistribute/prices.hpp"

#include <algorithm>

#include "synth/machine/round_cost.hpp"
#include "synth/redistribute/programs.hpp"

namespace tessera::synth {

namespace {

// A program has to be faster by more than a part in a hundred: less nobody measures.
constexpr double kWorthAProgram = 1.01;

}  // namespace

StepCost Prices::of(const Collective& step, const ArrayType& before, const ArrayType& after) {
  stop_.look();
  if (movement(step.kind) == Movement::none) return StepCost{};
  if (step.round) return of_round(*step.round, before, after);
  if (step.relay != nullptr) return of_relay(step, before, after);
  if (step.program != nullptr) return of_program(step, before, after);
  return remembered(movement(step.kind) == Movement::copies ? CollectiveKind::exchange : step.kind, step, before,
                    after);
}

StepCost Prices::remembered(CollectiveKind kind, const Collective& step, const ArrayType& before,
                            const ArrayType& after) {
  const auto same = [&](const Known& k) { return k.kind == kind && k.before == before && k.after == after; };
  const auto found = std::find_if(known_.begin(), known_.end(), same);
  if (found != known_.end()) return found->cost;
  known_.push_back(Known{kind, before, after, cost(machine_, step, before, after)});
  return known_.back().cost;
}

Collective Prices::best_form(Collective step, const ArrayType& before, const ArrayType& after) {
  const bool may_have_one = movement(step.kind) == Movement::sums && step.program == nullptr;
  if (may_have_one && has_programs(machine_, after.mesh(), shard_count(step.axes)))
    step.program = programmed(step, before, after).program;
  return step;
}

Prices::KnownProgram& Prices::programmed(const Collective& step, const ArrayType& before, const ArrayType& after) {
  const auto same = [&](const KnownProgram& k) {
    return k.kind == step.kind && k.before == before && k.after == after;
  };
  const auto found = std::find_if(programs_.begin(), programs_.end(), same);
  if (found != programs_.end()) return *found;
  stop_.look();
  KnownProgram& known = programs_.emplace_back(KnownProgram{step.kind, before, after, nullptr, {}});
  const double seconds_max = of(step, before, after).seconds / kWorthAProgram;
  Collective with_program = step;
  with_program.program = best_reduce_program(machine_, step, before, after, seconds_max);
  if (with_program.program == nullptr) return known;
  known.cost = cost(machine_, with_program, before, after);
  if (known.cost.seconds < seconds_max) known.program = with_program.program;
  return known;
}

StepCost Prices::of_program(const Collective& step, const ArrayType& before, const ArrayType& after) {
  const auto same = [&](const KnownProgram& k) { return k.program == step.program && k.after == after; };
  const auto found = std::find_if(programs_.begin(), programs_.end(), same);
  return found != programs_.end() ? found->cost : cost(machine_, step, before, after);
}

StepCost Prices::of_relay(const Collective& step, const ArrayType& before, const ArrayType& after) {
  const auto same = [&](const KnownRelay& k) { return k.recipe == step.relay; };
  const auto found = std::find_if(relays_.begin(), relays_.end(), same);
  if (found != relays_.end()) return found->cost;
  relays_.push_back(KnownRelay{step.relay, cost(machine_, step, before, after)});
  return relays_.back().cost;
}

// All rounds of an exchange are priced at its first.
StepCost Prices::of_round(const Round& round, const ArrayType& before, const ArrayType& after) {
  if (round.index == 0) rounds_ = costs_of_rounds(machine_, before, after, round.dimension, round.count);
  const auto index = static_cast<std::size_t>(round.index);
  return index < rounds_.size() ? rounds_[index] : StepCost{};
}

}  // namespace tessera::synth
