// Private to synth: the units of a machine's levels as ranges of devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "synth/collective/routing.hpp"
#include "synth/machine/machine.hpp"

namespace tessera::synth {

// Devices in a unit of each level, outermost level first. The innermost units are the devices.
inline std::vector<std::int64_t> unit_devices(const Machine& machine, std::int64_t devices) {
  std::vector<std::int64_t> sizes;
  for (const MachineLevel& level : machine.levels) sizes.push_back(devices /= level.count);
  return sizes;
}

// What a routing has to know of the machine: units ascending, without single devices.
inline SenderRule sender_rule(const Machine& machine, std::int64_t devices) {
  SenderRule rule;
  for (const MachineLevel& level : machine.levels) {
    rule.piece_bytes = std::max(rule.piece_bytes, level.latency_seconds * level.bandwidth_bytes_per_second);
  }
  const std::vector<std::int64_t> sizes = unit_devices(machine, devices);
  for (std::size_t l = 0; l < sizes.size(); ++l) {
    if (sizes[l] == 1) continue;
    rule.unit_devices.insert(rule.unit_devices.begin(), sizes[l]);
    // The last of them is the innermost.
    rule.unit_bandwidth =
        machine.levels[l].bandwidth_bytes_per_second / machine.levels.back().bandwidth_bytes_per_second;
  }
  return rule;
}

// Above so many devices the bounds of time are simplified, and above so many messages the price of a step too
// (machine.hpp).
inline constexpr std::int64_t kExactDevicesMax = 512;
inline constexpr std::int64_t kExactMessagesMax = 400'000;

}  // namespace tessera::synth
