// Steps taken together (memory/chains.hpp): each task takes a block of all arrays through all steps, so that
// intermediate values stay in the cache.
#pragma once

#include "runtime/engine/engine.hpp"

namespace tessera::runtime {

// Its constants are there already.
void run_chain(const ChainStep& step);

}  // namespace tessera::runtime
