// Parts that are made where they belong. A chain that makes what a step lays over a base writes it into that step's
// result, where the step finds it: the part has no memory of its own. Most often the result has the base's memory; if
// it has another, the chain first copies the base around the part.
//
//     onto with [1:-1, 1:-1] = 0.2 * (a[1:-1, :-2] + ..)     the chain writes rows [1, n - 1) of onto
//
// Each device makes its tile of the part. What of that lies in another device's tile of the result is written into
// memory beside the tile (window_edges.hpp), from which the step sends it.
#pragma once

#include <map>
#include <memory>

#include "runtime/memory/lifetime.hpp"
#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "runtime/memory/window_edges.hpp"

namespace tessera::runtime {

struct WrittenPart {
  synth::RegisterId result;  // of the step that lays it
  synth::RegisterId base;
  synth::Shape begin;                                  // where in the result
  std::shared_ptr<const WindowEdges> edges = nullptr;  // what lies in other devices' tiles; null: nothing
};
using WrittenParts = std::map<synth::RegisterId, WrittenPart>;

// Those that may be: elementwise steps make them for one other step of their body, which lays nothing else.
WrittenParts find_written_parts(const synth::Program& program, const TileMaps& tiles);

// Those that cannot be so in a plan that was made with them: where the result has the base's memory, a step reads
// elements of that which the chain has written over.
Copied refused_parts(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan,
                     const WrittenParts& parts);

}  // namespace tessera::runtime
