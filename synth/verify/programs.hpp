// Private to verify: a reduction program replayed device by device, on code of its own: who holds whose contributions
// to which chunk, which bytes go over which link in which slot. Shares nothing with the search but what a program is
// (synth/transfer/reduce_program.hpp).
#pragma once

#include <cstdint>

#include "synth/cluster/machine.hpp"
#include "synth/transfer/reduce_program.hpp"
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

// Why the program does not do what is asked for; else its figures are in `figures`. The mesh's devices times the
// members of a group are 400,000 at most. The machine is one that machine_for gave. Rings are compared with, never
// carried out: they are refused.
Fault replay_program(const ReductionRequest& request, const ReduceProgram& program, const Machine& machine,
                     ProgramFigures& figures);

}  // namespace tessera::synth::verifier
