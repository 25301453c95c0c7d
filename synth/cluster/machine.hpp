// A machine as its file says: levels of units from the outside in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tessera::synth {

// `count` units in each unit of the level outside it; every unit's link carries `bandwidth_bytes_per_second` each way.
struct MachineLevel {
  std::string name;
  std::int64_t count = 1;
  double bandwidth_bytes_per_second = 100e9;
  double latency_seconds = 1e-6;
  friend bool operator==(const MachineLevel&, const MachineLevel&) = default;
};

// What a link may be: so that the time of every plan is a number that can be printed, compared and added.
inline constexpr double kBandwidthMin = 1e-3;  // bytes per second
inline constexpr double kBandwidthMax = 1e24;
inline constexpr double kLatencyMax = 1e9;  // seconds
// Neither is true of what is no number.
inline bool is_bandwidth(double figure) { return figure >= kBandwidthMin && figure <= kBandwidthMax; }
inline bool is_latency(double figure) { return figure >= 0 && figure <= kLatencyMax; }

struct Machine {
  std::vector<MachineLevel> levels;  // empty: the default, one level of as many units as there are devices
  friend bool operator==(const Machine&, const Machine&) = default;
};

// Levels with the default filled in; fails where the counts do not multiply to the number of devices, or a bandwidth or
// a latency is none.
base::Result<Machine> machine_for(const Machine& machine, std::int64_t devices);

}  // namespace tessera::synth
