// Private to verify: the bandwidths of a level's links, and the time that a device waits for its peers, at the longest
// latency of the levels used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "synth/layout/cluster/machine.hpp"

namespace tessera::synth::verifier {

// The bytes a second of the link of a level's unit.
inline double link_bandwidth(const MachineLevel& level, std::size_t unit) {
  return level.unit_bandwidths.empty() ? level.bandwidth_bytes_per_second : level.unit_bandwidths[unit];
}

class Waits {
 public:
  void use(const MachineLevel& level) {
    const double each = level.gap_seconds ? *level.gap_seconds : level.latency_seconds;
    const bool is_slower = level.latency_seconds > first_ || (level.latency_seconds == first_ && each > each_);
    if (!is_slower) return;
    first_ = level.latency_seconds;
    each_ = each;
  }
  double of(std::int64_t peers) const {
    if (peers == 0) return 0;
    const auto further = static_cast<double>(peers - 1);
    return each_ == first_ ? static_cast<double>(peers) * first_ : first_ + further * each_;
  }

 private:
  double first_ = 0;
  double each_ = 0;
};

}  // namespace tessera::synth::verifier
