// Slices that no device has to fetch anything for: parts of an array, away from where they lie in it, whose elements
// each device has in its tile of that array, but for some rows at its edges, which alone are copied. Steps that compute
// read them there, so that a stencil copies little or nothing:
//
//     u[:-2, 1:-1] + u[2:, 1:-1]         two windows of u, which begin at (0, 1) and (2, 1)
#pragma once

#include <map>
#include <memory>

#include "runtime/memory/tile_maps.hpp"
#include "runtime/memory/window_edges.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

struct Window {
  synth::RegisterId source;
  synth::Shape begin;                                  // which element of the source is the first one
  std::shared_ptr<const WindowEdges> edges = nullptr;  // the rows that tiles of the source lack; null: none
};
using Windows = std::map<synth::RegisterId, Window>;

// Those that only elementwise steps and reductions of the body that makes them read; rows of a few elements are left
// out, which are quicker read side by side.
Windows find_windows(const synth::Program& program, const TileMaps& tiles);

}  // namespace tessera::runtime
