// The price of a step: bytes, peers, seconds.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/scratch.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/collective/tile_exchange.hpp"
#include "synth/moves/prices/even_traffic.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/round_cost.hpp"
#include "synth/moves/prices/traffic.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/moves/transfer/transfer_cost.hpp"

namespace tessera::synth {

namespace {

// The price where elements have several holders and there are too many messages to look at each. Bytes that come in
// over a link are exact; those that go out are taken to be dealt evenly over the links of the units that hold
// something. Every source tile that meets a target tile is one peer.
StepCost cost_of_nearest(const Cluster& cluster, const NearestExchange& exchange, std::int64_t devices,
                         std::int64_t element_bytes) {
  StepCost cost;
  Delay delay;
  double busiest = 0;
  for (std::size_t l = 0; l < cluster.levels().size(); ++l) {
    const Cluster::Level& level = cluster.levels()[l];
    if (!exchange.is_known(l)) continue;
    cost.received_bytes_total = 0;  // in the end of the last level, which is the devices'
    cost.received_bytes_max = 0;
    double senders = 0;  // bytes per second of the links of units that hold something
    for (std::size_t unit = 0; unit < level.units; ++unit) {
      const std::int64_t bytes = exchange.received()[level.first_link + unit] * element_bytes;
      cost.received_bytes_total += bytes;
      cost.received_bytes_max = std::max(cost.received_bytes_max, bytes);
      busiest = std::max(busiest, static_cast<double>(bytes) / level.bandwidth_of(unit));
      if (exchange.has_source(level.first_link + unit)) senders += level.bandwidth_of(unit);
    }
    if (cost.received_bytes_total == 0) continue;
    delay = std::max(delay, level.delay());
    busiest = std::max(busiest, static_cast<double>(cost.received_bytes_total) / senders);
  }
  if (cost.received_bytes_total == 0) return cost;
  cost.peers = std::min(exchange.cells_max(), devices - 1);
  cost.seconds = delay.of(static_cast<double>(cost.peers)) + busiest;
  return cost;
}

StepCost cost_of_moves(const RunMachine& machine, const ArrayType& before, const ArrayType& after) {
  base::Scratch scratch;
  const Cluster cluster(machine);
  const Counted counted = count_copies(cluster, before, after, scratch.memory());
  if (const auto* traffic = std::get_if<Traffic>(&counted)) return traffic->cost();
  const std::int64_t devices = std::max(before.devices(), after.devices());
  return cost_of_nearest(cluster, std::get<NearestExchange>(counted), devices, bytes_of(after.element()));
}

// `before` is what the whole exchange begins with.
StepCost cost_of_round(const RunMachine& machine, const Round& round, const ArrayType& before, const ArrayType& after) {
  const auto costs = costs_of_rounds(machine, before, after, round.dimension, round.count);
  return costs[static_cast<std::size_t>(round.index)];
}

// A step that cannot be carried out costs more than any that can: a planner makes no such relay or program, and the
// verifier refuses it.
StepCost cost_of_relay(const RunMachine& machine, const Collective& step, const ArrayType& before,
                       const ArrayType& after) {
  const RelayRecipe* relay = relay_of(step);
  const auto transfer = relay == nullptr ? std::nullopt : transfer_of(relay_tasks(before, after), *relay);
  if (!transfer) return StepCost{0, 0, 0, std::numeric_limits<double>::max()};
  const Cluster cluster(machine);
  return TransferCost(cluster, *transfer, bytes_of(after.element())).cost(transfer->stretches);
}

StepCost cost_of_program(const RunMachine& machine, const Collective& step, const ArrayType& before,
                         const ArrayType& after) {
  if (const auto wide = EvenSum::of(step, before, after)) return EvenTraffic(machine, *wide, after).cost();
  const auto reduction = ProgrammedReduction::of(step, before, after);
  if (!reduction) return StepCost{0, 0, 0, std::numeric_limits<double>::max()};
  return reduction->cost(Cluster(machine));
}

StepCost cost_of_reduction(const RunMachine& machine, const Collective& step, const ArrayType& before,
                           const ArrayType& after) {
  base::Scratch scratch;
  return count_sum(Cluster(machine), kind_of(step), before, after, scratch.memory()).cost();
}

}  // namespace

StepCost cost(const RunMachine& machine, const Collective& step, const ArrayType& before, const ArrayType& after) {
  switch (movement(step)) {
    case Movement::none: return StepCost{};
    case Movement::copies:
      if (recipe_of<RelayRef>(step) != nullptr) return cost_of_relay(machine, step, before, after);
      if (const Round* round = round_of(step)) return cost_of_round(machine, *round, before, after);
      return cost_of_moves(machine, before, after);
    case Movement::sums:
      return program_of(step) != nullptr ? cost_of_program(machine, step, before, after)
                                         : cost_of_reduction(machine, step, before, after);
  }
  return StepCost{};
}

StepCost cost_of_copies(const RunMachine& machine, const Mesh& mesh, const std::vector<BoxCopy>& copies,
                        std::int64_t element_bytes) {
  std::vector<const BoxCopy*> sorted;
  for (const BoxCopy& copy : copies) sorted.push_back(&copy);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const BoxCopy* a, const BoxCopy* b) { return a->target < b->target; });
  Traffic traffic{Cluster(machine)};
  for (const BoxCopy* copy : sorted)
    traffic.add(mesh.run_device(copy->source), mesh.run_device(copy->target), elements(copy->box) * element_bytes);
  return traffic.cost();
}

}  // namespace tessera::synth
