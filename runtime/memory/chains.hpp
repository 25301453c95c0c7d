// Runs of steps that are taken together, a block of all of them at a time: every array is read and written once, and
// arrays that only the run itself reads need no memory.
//
//     let m = max(a, dim=1)                  a : f32[4096, 4096]; a block is a few rows of all arrays
//     let e = exp(a - reshape(m, [4096, 1]))
//     let s = e / reshape(sum(e, dim=1), [4096, 1])
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/memory/lifetime.hpp"
#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"

namespace tessera::runtime {

// Steps [begin, end) of a body: elementwise ones that cannot fail, reductions, reshapes that only look at an array,
// windows of arrays that other steps make, and constants, which are made first. Blocks are cut along the first `lead`
// dimensions, in which all results have the same tiles. A block is whole in the other dimensions, so that a reduction
// over them finds all its elements.
//
// lead is 0 where arrays of one shape are at the end reduced to a scalar: then all are taken as flat, and what the
// blocks give is joined as the reduction itself joins its blocks. (Elementwise steps on scalars have a lead of 0, too.)
struct ChainSteps {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t lead = 0;
};

// The chains of a body, in order; none overlap. Asks the plan which reshapes are views and which arrays are dense.
std::vector<ChainSteps> find_chains(const synth::Program& program, const synth::Body& body, const TileMaps& tiles,
                                    const MemoryPlan& plan);

// Does the step make an array, a block at a time?
bool is_computed(const synth::Apply& apply);

// Does every step of the chain that reads the register's memory read it as it is, and no other rows of it in a block
// than those that the block makes? Then a result of the same tiles may be written over it.
bool reads_by_blocks(const synth::Program& program, const synth::Body& body, const ChainSteps& chain,
                     const MemoryPlan& plan, synth::RegisterId id);

// Is the register, made by a step of the chain, read by steps of the chain only?
bool stays_inside(const ChainSteps& chain, const RegisterPlan& plan, const Lifetime& life);

}  // namespace tessera::runtime
