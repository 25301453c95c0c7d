#include "synth/redistribute/prices.hpp"

#include <algorithm>

#include "synth/machine/round_cost.hpp"

namespace tessera::synth {

StepCost Prices::of(const Collective& step, const ArrayType& before, const ArrayType& after) {
  stop_.look();
  if (movement(step.kind) == Movement::none) return StepCost{};
  if (step.round) return of_round(*step.round, before, after);
  if (step.relay != nullptr) return of_relay(step, before, after);
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
