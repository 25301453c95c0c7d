// Private to verify: a program of a wide reduction replayed. All members do the same, so whose sums they have follows
// digit by digit: each digit of a position is followed from open to scattered or whole, and the devices are put in
// groups to count what crosses each link. Shares no code with the search and with prices.
//
// A share of a tile counts as an even one, rounded up; where tiles differ in size, messages count as of the largest.
#pragma once

#include <cstdint>

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/verify/reduction_request.hpp"

namespace tessera::synth::verifier {

Fault replay_wide(const ReductionRequest& request, const ReduceProgram& program, const RunMachine& machine,
                  ProgramFigures& figures);

// A device's position on the mesh without its digits along the axes: the members of a group share it.
std::int64_t outside_of(const Mesh& mesh, const AxisList& axes, std::int64_t device);

}  // namespace tessera::synth::verifier
