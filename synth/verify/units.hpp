// Private to verify: a reduction by units (`all_reduce d units of 4`) replayed interval by interval, by the verifier's
// own code: the collectors in every unit, the sums over units, and the contributions that each device has in the end.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/verify/hop_loads.hpp"
#include "synth/verify/reduction_request.hpp"

namespace tessera::synth::verifier {

bool is_by_units(const ReduceProgram& program);

// Puts the messages on `hops`, one for each slot; `beside` is the most elements that a device has which are not its
// own.
Fault replay_units(const ReductionRequest& request, const ReduceProgram& program, const RunMachine& machine,
                   std::vector<HopLoads>& hops, std::int64_t& beside);

}  // namespace tessera::synth::verifier
