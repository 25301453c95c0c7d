// The price of what a running sum or its kin carries from tile to tile (synth/moves/collective/carries.hpp).
#pragma once

#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/carries.hpp"

namespace tessera::synth {

// Every boundary is crossed after the one before it, by all lines at once.
//
// Example: on x:4 the carries of f32[4096@x] are three messages of 8 bytes, one after the other: they take three times
// as long as one of them.
StepCost cost_of_carries(const RunMachine& machine, const ArrayType& result, CarryKind kind,
                         const std::vector<CarryHop>& hops);

}  // namespace tessera::synth
