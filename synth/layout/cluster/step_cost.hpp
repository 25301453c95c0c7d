// The cost of a step on a machine: its bytes, exact but for the largest sums, and modelled seconds
// (docs/redistribution.md).
#pragma once

#include <cstdint>

namespace tessera::synth {

struct StepCost {
  std::int64_t received_bytes_total = 0;
  std::int64_t received_bytes_max = 0;
  std::int64_t peers = 0;  // the most that a device waits for, in all slots together
  double seconds = 0;
};

}  // namespace tessera::synth
