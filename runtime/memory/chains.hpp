// Runs of elementwise steps that are taken together, a block of all of them at a time: every array is read and written
// once, and what only the run itself reads needs no memory.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/memory/liveness.hpp"

namespace tessera::runtime {

// Steps [begin, end) of a body: elementwise ones that cannot fail and whose results have the same tiles, and constants
// in between, which are made first.
struct ChainSteps {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The chains of a body, in order; none overlap.
std::vector<ChainSteps> find_chains(const synth::Program& program, const synth::Body& body, const TileMaps& tiles);

// Is the register, made by a step of the chain, read by steps of the chain only?
bool stays_inside(const ChainSteps& chain, const RegisterPlan& plan, const Life& life);

}  // namespace tessera::runtime
