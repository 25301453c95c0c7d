#include "synth/moves/prices/traffic.hpp"

#include <algorithm>

#include "base/stop_scope.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/routing.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

Traffic::Traffic(const Cluster& cluster, std::pmr::memory_resource* memory)
    : Traffic(cluster, cluster.devices(), memory) {}

Traffic::Traffic(const Cluster& cluster, std::int64_t devices, std::pmr::memory_resource* memory)
    : devices_(memory), device_bandwidths_(memory), levels_(memory) {
  devices_.resize(static_cast<std::size_t>(devices));
  const Cluster::Level& own = cluster.levels().back();
  device_bandwidth_ = own.bandwidth;
  device_bandwidths_.assign(own.bandwidths.begin(), own.bandwidths.end());
  device_delay_ = own.delay();
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

void Traffic::add(const Cluster& cluster, const NearestExchange& exchange, std::int64_t element_bytes) {
  for (std::size_t l = 0; l < cluster.levels().size(); ++l) {
    const Cluster::Level& level = cluster.levels()[l];
    if (!exchange.is_known(l)) continue;
    std::int64_t total = 0;
    std::int64_t holders = 0;
    for (std::size_t link = level.first_link; link < level.first_link + level.units; ++link) {
      total += exchange.received()[link] * element_bytes;
      holders += exchange.has_source(link) ? 1 : 0;
    }
    for (std::size_t unit = 0; unit < level.units; ++unit) {
      const std::int64_t in = exchange.received()[level.first_link + unit] * element_bytes;
      const std::int64_t out = exchange.has_source(level.first_link + unit) ? total / holders : 0;
      if (l < levels_.size()) {
        levels_[levels_.size() - 1 - l].bytes_in[unit] += in;
        levels_[levels_.size() - 1 - l].bytes_out[unit] += out;
      } else {
        devices_[unit].received += in;
        devices_[unit].sent += out;
      }
    }
  }
}

namespace {

// The busiest of so many links of a level; bytes(out, unit) is what a link carries.
template <class Bytes, class Bandwidth>
LinkLoad busiest_link(std::size_t level, std::size_t units, const Bytes& bytes, const Bandwidth& bandwidth) {
  LinkLoad busiest{level, 0, true, 0};
  for (const bool out : {true, false}) {
    for (std::size_t unit = 0; unit < units; ++unit) {
      const double seconds = static_cast<double>(bytes(out, unit)) / bandwidth(unit);
      if (seconds > busiest.seconds) busiest = {level, static_cast<std::int64_t>(unit), out, seconds};
    }
  }
  return busiest;
}

}  // namespace

LinkLoad Traffic::Level::busiest_link(std::size_t number) const {
  return synth::busiest_link(
      number, bytes_in.size(), [&](bool out, std::size_t unit) { return (out ? bytes_out : bytes_in)[unit]; },
      [&](std::size_t unit) { return bandwidths.empty() ? bandwidth : bandwidths[unit]; });
}

SlotLoad Traffic::load() const {
  SlotLoad load;
  for (const Device& device : devices_) load.received_bytes += device.received;
  const auto add = [&](const LinkLoad& busiest) {
    if (busiest.seconds > 0) load.links.push_back(busiest);
  };
  for (std::size_t l = 0; l < levels_.size(); ++l) add(levels_[levels_.size() - 1 - l].busiest_link(l));
  add(synth::busiest_link(
      levels_.size(), devices_.size(),
      [&](bool out, std::size_t unit) { return out ? devices_[unit].sent : devices_[unit].received; },
      [&](std::size_t unit) { return device_bandwidths_.empty() ? device_bandwidth_ : device_bandwidths_[unit]; }));
  return load;
}

Counted count_copies(const Cluster& cluster, const ArrayType& before, const ArrayType& after,
                     std::pmr::memory_resource* memory) {
  const std::int64_t element_bytes = bytes_of(after.element());
  if (std::max(before.devices(), after.devices()) > kExactDevicesMax) {
    if (const auto exchange = TileExchange::of(cluster, before, after, memory)) {
      Traffic traffic(cluster, memory);
      traffic.add(cluster, *exchange, element_bytes);
      return traffic;
    }
    NearestExchange nearest(cluster, before, after, memory);
    if (nearest.messages_at_most() > static_cast<double>(kExactMessagesMax)) return nearest;
  }
  const Routing routing(before, after, nullptr, sender_rule(cluster), memory);
  Traffic traffic(cluster, run_devices(before, after), memory);
  for (std::int32_t target = 0; target < routing.devices(); ++target) {
    base::look_for_stop();
    routing.count_target(target, [&](std::int32_t source, std::int32_t to, std::int64_t count) {
      traffic.add(source, to, count * element_bytes);
    });
  }
  return traffic;
}

Traffic count_sum(const Cluster& cluster, CollectiveKind kind, const ArrayType& before, const ArrayType& after,
                  std::pmr::memory_resource* memory) {
  const DirectGroups groups(kind, before, after, memory);
  Traffic traffic(cluster, run_devices(before, after), memory);
  for (std::size_t g = 0; g < groups.count(); ++g) {
    base::look_for_stop();
    traffic.add(groups[g], bytes_of(after.element()));
  }
  return traffic;
}

}  // namespace tessera::synth
