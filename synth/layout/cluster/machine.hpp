// A machine as its file describes it: levels of units from the outside in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace tessera::synth {

// `count` units in each unit of the level outside it; every unit's link carries `bandwidth_bytes_per_second` each way,
// or, where links differ, what `unit_bandwidths` says: one figure for each unit of the level, over the whole machine.
struct MachineLevel {
  std::string name;
  std::int64_t count = 1;
  double bandwidth_bytes_per_second = 100e9;
  double latency_seconds = 1e-6;
  std::optional<double> gap_seconds = {};  // for each peer of a device after the first; else the latency again
  std::vector<double> unit_bandwidths = {};
  friend bool operator==(const MachineLevel&, const MachineLevel&) = default;
};

// The time that devices wait for the links of a step: a latency for the first peer, a gap for each other one.
struct Delay {
  double latency = 0;
  double gap = 0;

  double of(double peers) const {
    if (gap == latency) return peers * latency;
    return peers < 1 ? 0 : latency + (peers - 1) * gap;
  }
  friend auto operator<=>(const Delay&, const Delay&) = default;  // the slower is greater
};
inline Delay delay_of(const MachineLevel& level) {
  return {level.latency_seconds, level.gap_seconds.value_or(level.latency_seconds)};
}

// `count` devices of one kind, in the order of devices. Speeds are those of f32; a multiply-add is two.
struct DeviceKind {
  std::int64_t count = 1;
  double flops_per_second = 1e12;
  double bandwidth_bytes_per_second = 100e9;  // of its own memory
  std::int64_t memory_bytes = 0;              // 0: no limit
  friend bool operator==(const DeviceKind&, const DeviceKind&) = default;
};

// Limits of a link's figures, so that the time of every plan is a number that can be printed, compared and added.
inline constexpr double kBandwidthMin = 1e-3;  // bytes per second
inline constexpr double kBandwidthMax = 1e24;
inline constexpr double kLatencyMax = 1e9;  // seconds
// Both are false for NaN.
inline bool is_bandwidth(double figure) { return figure >= kBandwidthMin && figure <= kBandwidthMax; }
inline bool is_latency(double figure) { return figure >= 0 && figure <= kLatencyMax; }

// More levels than any machine has: whatever looks at them one inside the other ends soon.
inline constexpr std::size_t kMachineLevelsMax = 32;

struct Machine {
  std::vector<MachineLevel> levels;      // empty: the default, one level of as many units as there are devices
  std::vector<DeviceKind> devices = {};  // empty: all are alike, and nothing is known of them
  friend bool operator==(const Machine&, const Machine&) = default;
};

// The machine of a run: its counts fit and its figures are in range. Only machine_for makes one, and whatever counts
// links or prices moves asks for one.
class RunMachine : public Machine {
 private:
  explicit RunMachine(Machine machine) : Machine(std::move(machine)) {}
  friend base::Result<RunMachine> machine_for(const Machine& machine, std::int64_t devices);
};

// The machine for a run of so many devices, which may have more, with the default level filled in; of a level whose
// links differ, the bandwidth is then that of the fastest, and links that are listed and alike have no list. Fails if
// the counts of levels or kinds come to fewer devices, or to different numbers, if there are more than 32 levels, if a
// list of bandwidths does not have one for each unit, or if a bandwidth, a latency or a speed is out of range.
base::Result<RunMachine> machine_for(const Machine& machine, std::int64_t devices);

// Has the machine the levels that are assumed where no file describes any?
bool is_assumed(const RunMachine& machine);

// The slowest of all levels; and the least that a device waits for a peer on any.
Delay slowest_delay(const RunMachine& machine);
double least_delay(const RunMachine& machine);

// The slowest link of a level.
double least_bandwidth(const MachineLevel& level);

// The kind of every device; empty where nothing is known of them.
std::vector<DeviceKind> kinds_of_devices(const Machine& machine);

}  // namespace tessera::synth
