// Private to verify: a reduction program replayed device by device: the contributions that each device holds of each
// chunk, and the bytes on each link in each slot. Shares no code with the search but the definition of a program
// (synth/moves/transfer/reduce_program.hpp).
#pragma once

#include <cstdint>

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
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

// Why the program does not meet the request; if it does, its figures are in `figures`. The machine is one that
// machine_for gave. Rings are compared with, never carried out: they are refused.
Fault replay_program(const ReductionRequest& request, const ReduceProgram& program, const Machine& machine,
                     ProgramFigures& figures);

}  // namespace tessera::synth::verifier
