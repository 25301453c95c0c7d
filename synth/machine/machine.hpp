// The machine model: levels from the outside in, the price of a step, lower bounds. Apart from all planners.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "synth/collective/moves.hpp"

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

// The copies of moves.hpp on a machine: "nearest" is the replica that the fewest links lie before.
std::vector<BoxCopy> copies(const Machine& machine, const ArrayType& from, const ArrayType& to,
                            const Offset* offset = nullptr);

// In all that follows the machine is one that machine_for gave. Figures are exact for up to 512 devices. Above, bytes
// still are, and so are seconds of steps with up to 400,000 messages; other steps are priced by the busiest device's
// own link and one round of the slowest level's latency for each peer, and the bound of seconds is what the device's
// own link needs. Both then say too little about the links further out, and a plan's time stays above its bound.

// What a step costs: exact bytes, modelled seconds (docs/redistribution.md).
struct StepCost {
  std::int64_t received_bytes_total = 0;
  std::int64_t received_bytes_max = 0;
  std::int64_t rounds = 0;
  double seconds = 0;
};
StepCost cost(const Machine& machine, const Collective& step, const ArrayType& before, const ArrayType& after);
// The same for any set of copies (a slice of a split dimension, say): element size in bytes given.
StepCost cost_of_copies(const Machine& machine, std::int64_t devices, const std::vector<BoxCopy>& copies,
                        std::int64_t element_bytes);

struct LowerBound {
  std::int64_t received_bytes_total = 0;
  double seconds = 0;
};
LowerBound lower_bound(const Machine& machine, const ArrayType& from, const ArrayType& to);

}  // namespace tessera::synth
