// How busy the links of a machine are in a step: tells people why a plan is slow.
#pragma once

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/collective/collective.hpp"
#include "synth/moves/prices/loads.hpp"

namespace tessera::synth {

// The loads of a step; for a round, `before` is the type before the whole exchange.
StepLoads loads_of(const RunMachine& machine, const Collective& step, const ArrayType& before, const ArrayType& after);

}  // namespace tessera::synth
