// Chains that read windows with edges are taken section by section of the first dimension: in a section each window is
// either read where it lies or in its edges.
//
//     u[:-2, 1:-1] + u[2:, 1:-1]         rows [0, 1) of a tile read the first window's edge, rows [248, 250) the
//                                        second's, and those between read u itself: three sections
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// Does a step of the chain read such a window?
bool reads_edges(std::span<const synth::Step> chain, const MemoryPlan& plan);

struct ChainSections {
  // What the chain reads and makes with the rows of its blocks. All else is read whole in each section.
  std::set<synth::RegisterId> cut;
  // Of every device its sections, as rows of its tiles counted from the first, the longest first.
  std::vector<std::vector<synth::Interval>> rows;
};

// None for a chain that cannot be taken so: one that reads such a window otherwise than row by row. `lead` as in
// ChainSteps.
std::optional<ChainSections> find_sections(const synth::Program& program, std::span<const synth::Step> chain,
                                           std::size_t lead, const TileMaps& tiles, const MemoryPlan& plan);

}  // namespace tessera::runtime
