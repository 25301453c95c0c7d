// When every register's memory is needed last, and which registers are views of others: the first half of the memory
// plan.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "runtime/memory/plan.hpp"
#include "runtime/memory/windows.hpp"

namespace tessera::runtime {

// The steps at which a register is made and its memory is needed last, in the body that makes it. A body's end counts
// as one more step. Meaningful for roots only; views count as uses of their root.
struct Lifetime {
  std::size_t depth = 0;  // of the body: 0 is the program's
  std::size_t made = 0;
  std::size_t last_use = 0;
  bool belongs_to_loop = false;  // a loop's index or parameter: lives as long as the loop
  std::size_t body = 0;          // the number of the body that makes it
};

// Registers that are copied although they could be views.
using Copied = std::set<synth::RegisterId>;

// For every pipeline and each of its visits, the registers that the visit makes for later visits, or reads from earlier
// ones.
using Turning = std::map<const synth::Pipeline*, std::vector<std::vector<synth::RegisterId>>>;

// The last uses of an array in the body that makes it: those of slices made there, and all others.
struct SliceUses {
  std::size_t own_use = 0;
  std::map<synth::RegisterId, std::size_t> slices;
};
using SlicedUses = std::map<synth::RegisterId, SliceUses>;

struct Liveness {
  std::vector<Lifetime> lives;
  Turning turning;
  Copied worth_copying;  // small slices of arrays that nothing else needs for so long
  SlicedUses sliced;     // of all arrays that have slices
};

// Fills in the plan's `where`, `source`, `begin`, `root`, `dense` and `written_to`.
Liveness find_lives(const synth::Program& program, const TileMaps& tiles, const Windows& windows, const Copied& copied,
                    MemoryPlan& plan);

}  // namespace tessera::runtime
