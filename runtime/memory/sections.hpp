// Chains that read windows with edges, or write parts that have some, are taken section by section: in a section, a box
// of the chain's tiles, each window is either read where it lies or in one slab of its edges, and so are parts written.
//
//     u[:-2, 1:-1] + u[2:, 1:-1]         rows [0, 1) of a tile read the first window's edge, rows [248, 250) the
//                                        second's, and those between read u itself: three sections
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// Does a step of the chain read such a window, or write a part that has edges?
bool has_edges(std::span<const synth::Step> chain, const MemoryPlan& plan);

// Of every dimension of a register the dimension of the sections that it is cut along, or kUncut.
using CutDimensions = std::vector<std::size_t>;
inline constexpr std::size_t kUncut = static_cast<std::size_t>(-1);

struct ChainSections {
  // What the chain reads and makes. What is cut along no dimension is read whole in each section.
  std::map<synth::RegisterId, CutDimensions> cut;
  // Of every device its sections, as boxes of what is cut along all their dimensions, the largest first.
  std::vector<std::vector<synth::Box>> boxes;
};

// None for a chain that cannot be taken so: one that reads such a window otherwise than element by element, or, with
// edges in the first dimension alone, row by row. `lead` as in ChainSteps.
std::optional<ChainSections> find_sections(const synth::Program& program, std::span<const synth::Step> chain,
                                           std::size_t lead, const TileMaps& tiles, const MemoryPlan& plan);

}  // namespace tessera::runtime
