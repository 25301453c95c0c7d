// Private to synth/choose: the strategies of arrays that are made of parts.
//
// Parts, and what they are laid over, lie as the result does. Along a dimension that parts begin or end in, every
// device so has most of what its tile of the result needs, and fetches what it lacks: the halo of a stencil. Of a
// dimension of which the result has one element that element is taken from where the part is split, too.
//
// Example: `p[1:5]` of f32[6] on x:2 is whole on both sides, or split on both: then device 0 has the elements 0 to 2,
// needs 1 and 2, and fetches nothing; device 1 has 3 to 5 and needs 3 and 4. `p[3:4]` is whole, of a p that is whole or
// split.
#pragma once

#include <vector>

#include "synth/choose/strategy.hpp"

namespace tessera::synth {

std::vector<Strategy> assemblings(const SpaceOf& space, const Assemble& assemble,
                                  const std::vector<ChoiceValue>& operands, const ChoiceValue& result,
                                  const std::vector<ReduceOp>& kinds);

}  // namespace tessera::synth
