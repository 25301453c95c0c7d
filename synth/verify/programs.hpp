// Private to verify: a reduction program replayed device by device: the contributions that each device holds of each
// chunk, and the bytes on each link in each slot. Shares no code with the search but the definition of a program
// (synth/moves/transfer/reduce_program.hpp).
#pragma once

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/verify/reduction_request.hpp"

namespace tessera::synth::verifier {

// Why the program does not meet the request; if it does, its figures are in `figures`. Rings are compared with, never
// carried out: they are refused.
Fault replay_program(const ReductionRequest& request, const ReduceProgram& program, const RunMachine& machine,
                     ProgramFigures& figures);

}  // namespace tessera::synth::verifier
