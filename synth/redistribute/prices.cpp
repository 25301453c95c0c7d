#include "synth/redistribute/prices.hpp"

#include <algorithm>

#include "synth/machine/round_cost.hpp"

namespace tessera::synth {

StepCost Prices::of(const Collective& step, const ArrayType& before, const ArrayType& after) {
  stop_.look();
  switch (step.kind) {
    case CollectiveKind::slice:
    case CollectiveKind::keep: return StepCost{};
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
    case CollectiveKind::permute: return remembered(Deed::move, step, before, after);
    case CollectiveKind::exchange:
      return step.round ? of_round(*step.round, before, after) : remembered(Deed::move, step, before, after);
    case CollectiveKind::relay: return of_relay(step, before, after);
    case CollectiveKind::reduce_scatter: return remembered(Deed::reduce_scatter, step, before, after);
    case CollectiveKind::all_reduce: return remembered(Deed::all_reduce, step, before, after);
  }
  return StepCost{};
}

StepCost Prices::remembered(Deed deed, const Collective& step, const ArrayType& before, const ArrayType& after) {
  const auto same = [&](const Known& k) { return k.deed == deed && k.before == before && k.after == after; };
  const auto found = std::find_if(known_.begin(), known_.end(), same);
  if (found != known_.end()) return found->cost;
  known_.push_back(Known{deed, before, after, cost(machine_, step, before, after)});
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
