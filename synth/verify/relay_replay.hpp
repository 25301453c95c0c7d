// Private to verify: a relay followed send by send.
#pragma once

#include "synth/moves/prices/prices.hpp"
#include "synth/verify/replay.hpp"

namespace tessera::synth::verifier {

// Does every device get each element of its target tile that it lacks, once, from one that has it by then? If so, the
// seconds that the sends take on the machine, slot by slot, are put there. The recipe's tasks are those of the tiles of
// both ends, in order of target tile, then source tile; nothing here is the planner's code.
Fault replay_relay(const State& before, const RelayRecipe& recipe, const Holdings& after, const RunMachine& machine,
                   double& seconds);

}  // namespace tessera::synth::verifier
