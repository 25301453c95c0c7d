// Carried values that need one place. A loop's value has two places that take turns, so each turn writes all of it.
// One place serves where each turn's value is made by steps that write over what the step before has made, from the
// parameter on: elementwise steps, boxes laid over a base, loops and branches that are so themselves; and where
// nothing reads what they write over afterwards. A turn then costs what it writes.
//
//     loop a = a0 for i < n {
//       let row = a[i:i+1] * 2.0    reads a before anything is written
//       a with [i:i+1] = row        writes a row where a lies
//     }
//
// The place is the result's. The first turn reads the initial value where that lies: if it dies with the loop, that is
// the same place, else the first step that writes copies it.
#pragma once

#include <map>
#include <vector>

#include "runtime/memory/liveness.hpp"

namespace tessera::runtime {

struct InPlace {
  // By the result of a loop, the registers that have its place while the loop runs: parameters and all that is written
  // over them, in this loop and those inside of it. None is in two lists, no key is in any.
  std::map<synth::RegisterId, std::vector<synth::RegisterId>> by_result;
  // Slices but for whose later uses more values would need one place only: they might be copied.
  Copied in_the_way;
};

// Of what `lives` and `plan` have found, and notes it in the plan: `shares`, and `written_to` no longer.
InPlace find_in_place(const synth::Program& program, const TileMaps& tiles, const Liveness& lives, MemoryPlan& plan);

// The operands that a step may overwrite as it goes are so many of the first: all of an elementwise operation, a base.
std::size_t overwritable(const synth::Apply& apply);
// Has the result the operand's tiles, in the same bytes?
bool has_tiles_of(const synth::Program& program, const TileMaps& tiles, synth::RegisterId operand,
                  synth::RegisterId result);

}  // namespace tessera::runtime
