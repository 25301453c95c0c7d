// The price of a step: bytes, peers, seconds.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/scratch.hpp"
#include "base/stop_scope.hpp"
#include "synth/collective/direct_reduction.hpp"
#include "synth/collective/programmed.hpp"
#include "synth/collective/routing.hpp"
#include "synth/collective/tile_exchange.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/machine/even_traffic.hpp"
#include "synth/machine/machine.hpp"
#include "synth/machine/round_cost.hpp"
#include "synth/machine/traffic.hpp"
#include "synth/transfer/relay_recipe.hpp"
#include "synth/transfer/transfer_cost.hpp"

namespace tessera::synth {

Traffic::Traffic(const Machine& machine, std::pmr::memory_resource* memory)
    : Traffic(machine, Cluster(machine).devices(), memory) {}

Traffic::Traffic(const Machine& machine, std::int64_t devices, std::pmr::memory_resource* memory)
    : devices_(memory), device_bandwidths_(memory), levels_(memory) {
  const Cluster cluster(machine);
  devices_.resize(static_cast<std::size_t>(devices));
  const Cluster::Level& own = cluster.levels().back();
  device_bandwidth_ = own.bandwidth;
  device_bandwidths_.assign(own.bandwidths.begin(), own.bandwidths.end());
  device_delay_ = cluster.levels().back().delay();
  levels_.reserve(cluster.levels().size());
  for (std::size_t l = cluster.levels().size() - 1; l-- > 0;) {
    const Cluster::Level& of = cluster.levels()[l];
    Level& level = levels_.emplace_back(
        Level{std::pmr::vector<std::int32_t>(memory), of.bandwidth, of.delay(), false,
              std::pmr::vector<std::int64_t>(of.units, 0, memory), std::pmr::vector<std::int64_t>(of.units, 0, memory),
              std::pmr::vector<double>(of.bandwidths.begin(), of.bandwidths.end(), memory)});
    level.unit_of.reserve(devices_.size());
    for (std::int32_t unit = 0; level.unit_of.size() < devices_.size(); ++unit) {
      const std::size_t left = devices_.size() - level.unit_of.size();
      const std::size_t of_unit = std::min(left, static_cast<std::size_t>(of.unit_devices));
      level.unit_of.insert(level.unit_of.end(), of_unit, unit);
    }
  }
}

void Traffic::add(const DirectGroup& group, std::int64_t element_bytes) {
  for (const DirectGroup::Member& member : group.members()) {
    Device& device = devices_[static_cast<std::size_t>(member.device)];
    device.sent += group.sent(1, member.added) * element_bytes;
    device.received += group.received(1, member.added) * element_bytes;
    device.receivers += group.receivers(member);
    device.senders += group.senders(member);
  }
  for (Level& level : levels_) level.add(group, element_bytes);
}

void Traffic::Level::add(const DirectGroup& group, std::int64_t element_bytes) {
  const auto unit = [&](std::int32_t device) {
    return static_cast<std::size_t>(unit_of[static_cast<std::size_t>(device)]);
  };
  group.walk_units(unit, [&](std::size_t here, std::int64_t sent, std::int64_t received) {
    bytes_out[here] += sent * element_bytes;
    bytes_in[here] += received * element_bytes;
    used = used || sent > 0 || received > 0;
  });
}

void Traffic::add(const Cluster& cluster, const TileExchange& exchange, std::int64_t element_bytes) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    Device& device = devices_[i];
    device.sent += exchange.device(i).sent * element_bytes;
    device.received += exchange.device(i).received * element_bytes;
    device.receivers += exchange.receivers(i);
    device.senders += exchange.senders(i);
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[levels_.size() - 1 - l];
    const TileExchange::Exchanged* const links = exchange.links().data() + cluster.levels()[l].first_link;
    for (std::size_t unit = 0; unit < level.bytes_in.size(); ++unit) {
      level.bytes_out[unit] += links[unit].sent * element_bytes;
      level.bytes_in[unit] += links[unit].received * element_bytes;
      level.used = level.used || links[unit].received > 0;
    }
  }
}

double Traffic::Level::busiest_seconds() const {
  if (bandwidths.empty()) {
    const std::int64_t in = *std::max_element(bytes_in.begin(), bytes_in.end());
    const std::int64_t out = *std::max_element(bytes_out.begin(), bytes_out.end());
    return static_cast<double>(std::max(in, out)) / bandwidth;
  }
  double longest = 0;
  for (std::size_t unit = 0; unit < bandwidths.size(); ++unit)
    longest = std::max(longest, static_cast<double>(std::max(bytes_in[unit], bytes_out[unit])) / bandwidths[unit]);
  return longest;
}

double Traffic::busiest_device_seconds(std::int64_t most_bytes) const {
  if (device_bandwidths_.empty()) return static_cast<double>(most_bytes) / device_bandwidth_;
  double longest = 0;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const auto bytes = static_cast<double>(std::max(devices_[i].received, devices_[i].sent));
    longest = std::max(longest, bytes / device_bandwidths_[i]);
  }
  return longest;
}

StepCost Traffic::cost() const {
  StepCost cost;
  std::int64_t sent_max = 0;
  for (const Device& device : devices_) {
    cost.received_bytes_total += device.received;
    cost.received_bytes_max = std::max(cost.received_bytes_max, device.received);
    sent_max = std::max(sent_max, device.sent);
    cost.peers = std::max({cost.peers, device.senders, device.receivers});
  }
  if (cost.received_bytes_total == 0) return cost;
  Delay delay = device_delay_;
  double busiest = busiest_device_seconds(std::max(cost.received_bytes_max, sent_max));
  for (const Level& level : levels_) {
    if (!level.used) continue;
    delay = std::max(delay, level.delay);
    busiest = std::max(busiest, level.busiest_seconds());
  }
  cost.seconds = delay.of(static_cast<double>(cost.peers)) + busiest;
  return cost;
}

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

StepCost cost_of_moves(const Machine& machine, const ArrayType& before, const ArrayType& after) {
  const std::int64_t devices = std::max(before.devices(), after.devices());
  const std::int64_t element_bytes = bytes_of(after.element());
  base::Scratch scratch;
  const Cluster cluster(machine);
  if (devices > kExactDevicesMax) {
    if (const auto exchange = TileExchange::of(cluster, before, after, scratch.memory())) {
      Traffic traffic(machine, scratch.memory());
      traffic.add(cluster, *exchange, element_bytes);
      return traffic.cost();
    }
    const NearestExchange nearest(cluster, before, after, scratch.memory());
    if (nearest.messages_at_most() > static_cast<double>(kExactMessagesMax))
      return cost_of_nearest(cluster, nearest, devices, element_bytes);
  }
  const Routing routing(before, after, nullptr, sender_rule(cluster), scratch.memory());
  Traffic traffic(machine, run_devices(before, after), scratch.memory());
  for (std::int32_t target = 0; target < routing.devices(); ++target) {
    base::look_for_stop();
    routing.count_target(target, [&](std::int32_t source, std::int32_t to, std::int64_t count) {
      traffic.add(source, to, count * element_bytes);
    });
  }
  return traffic.cost();
}

// `before` is what the whole exchange begins with.
StepCost cost_of_round(const Machine& machine, const Round& round, const ArrayType& before, const ArrayType& after) {
  const auto costs = costs_of_rounds(machine, before, after, round.dimension, round.count);
  return costs[static_cast<std::size_t>(round.index)];
}

// A step that cannot be carried out costs more than any that can: a planner makes no such relay or program, and the
// verifier refuses it.
StepCost cost_of_relay(const Machine& machine, const Collective& step, const ArrayType& before,
                       const ArrayType& after) {
  const RelayRecipe* relay = relay_of(step);
  const auto transfer = relay == nullptr ? std::nullopt : transfer_of(relay_tasks(before, after), *relay);
  if (!transfer) return StepCost{0, 0, 0, std::numeric_limits<double>::max()};
  const Cluster cluster(machine);
  return TransferCost(cluster, *transfer, bytes_of(after.element())).cost(transfer->stretches);
}

StepCost cost_of_program(const Machine& machine, const Collective& step, const ArrayType& before,
                         const ArrayType& after) {
  if (const auto wide = EvenSum::of(step, before, after)) return EvenTraffic(machine, *wide, after).cost();
  const auto reduction = ProgrammedReduction::of(step, before, after);
  if (!reduction) return StepCost{0, 0, 0, std::numeric_limits<double>::max()};
  return reduction->cost(Cluster(machine));
}

StepCost cost_of_reduction(const Machine& machine, const Collective& step, const ArrayType& before,
                           const ArrayType& after) {
  base::Scratch scratch;
  const DirectGroups groups(kind_of(step), before, after, scratch.memory());
  Traffic traffic(machine, run_devices(before, after), scratch.memory());
  for (std::size_t g = 0; g < groups.count(); ++g) {
    base::look_for_stop();
    traffic.add(groups[g], bytes_of(after.element()));
  }
  return traffic.cost();
}

}  // namespace

StepCost cost(const Machine& machine, const Collective& step, const ArrayType& before, const ArrayType& after) {
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

StepCost cost_of_copies(const Machine& machine, const Mesh& mesh, const std::vector<BoxCopy>& copies,
                        std::int64_t element_bytes) {
  std::vector<const BoxCopy*> sorted;
  for (const BoxCopy& copy : copies) sorted.push_back(&copy);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const BoxCopy* a, const BoxCopy* b) { return a->target < b->target; });
  Traffic traffic(machine);
  const auto run_device = [&](std::int32_t number) {
    return static_cast<std::int32_t>(mesh.device_of_run(number).value);
  };
  for (const BoxCopy* copy : sorted)
    traffic.add(run_device(copy->source), run_device(copy->target), elements(copy->box) * element_bytes);
  return traffic.cost();
}

}  // namespace tessera::synth
