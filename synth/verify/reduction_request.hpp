// Private to verify: what a reduction by a program has to do, and what it takes.
#pragma once

#include <cstdint>

#include "synth/verify/replay.hpp"

namespace tessera::synth::verifier {

struct ReductionRequest {
  MeshRef mesh;
  AxisList reduced;
  bool scatters = false;  // ends with chunk i at position i only; else with everything everywhere
  // The elements of every device's tile in the end. Where everything is everywhere, that is cut into chunks as evenly
  // as can be.
  Numbers elements;
  std::int64_t element_bytes = 1;
};

struct ProgramFigures {
  double seconds = 0;
  std::int64_t hops = 0;
  Numbers received_bytes;         // of every device
  std::int64_t beside_bytes = 0;  // the most that a device has on the way that is in neither of its tiles
};

}  // namespace tessera::synth::verifier
