// When every register's memory is needed last, and which registers are views of others: the first half of the memory
// plan.
#pragma once

#include <map>
#include <vector>

#include "runtime/memory/lifetime.hpp"
#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "runtime/memory/windows.hpp"
#include "runtime/memory/written_parts.hpp"

namespace tessera::runtime {

// For every pipeline and each of its visits, the registers that the visit makes for later visits, or reads from earlier
// ones.
using Turning = std::map<const synth::Pipeline*, std::vector<std::vector<synth::RegisterId>>>;

struct Liveness {
  std::vector<Lifetime> lives;
  Turning turning;
  Copied worth_copying;  // small slices of arrays that nothing else needs for so long
  SlicedUses sliced;     // of all arrays that have slices
};

// Fills in the plan's `where`, `source`, `begin`, `edges`, `root`, `dense` and `written_to`.
Liveness find_lives(const synth::Program& program, const TileMaps& tiles, const Windows& windows,
                    const WrittenParts& parts, const Copied& copied, MemoryPlan& plan);

}  // namespace tessera::runtime
