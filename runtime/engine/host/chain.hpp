// Steps taken together (memory/chains.hpp): each task takes a block of all arrays through all steps, so that
// intermediate values stay in the cache.
#pragma once

#include "runtime/engine/engine.hpp"

namespace tessera::runtime {

// Its constants are there already. Where the step has a place for what is kept, further turns begin with that.
void run_chain(const ChainStep& step);

}  // namespace tessera::runtime
