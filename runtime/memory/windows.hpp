// Slices that no device has to fetch much for: parts of an array, away from where they lie in it, whose elements each
// device has in its tile of that array, but for some at its edges, which alone are copied. Steps that compute read them
// there, so that a stencil copies little or nothing:
//
//     u[:-2, 1:-1] + u[2:, 1:-1]         two windows of u, which begin at (0, 1) and (2, 1)
//
// A slice of an array in a frame is a window of that array. A frame that all slices look through is not made:
//
//     let v = pad(u, [[1, 1], [1, 1]])
//     v[:-2, 1:-1] + v[2:, 1:-1]         two windows of u, which begin at (-1, 0) and (1, 0)
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "runtime/memory/lifetime.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "runtime/memory/window_edges.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

struct Window {
  synth::RegisterId source;
  synth::Shape begin;                                  // which element of the source is the first one
  std::shared_ptr<const WindowEdges> edges = nullptr;  // what tiles of the source lack; null: nothing
  bool moves = false;                                  // begins where its step finds out; `begin` is where it might
};

struct Windows {
  std::map<synth::RegisterId, Window> of;
  std::set<synth::RegisterId> unmade;  // frames and what they are filled from, which nothing else reads
};

// An array in a frame: what reads it are windows, some of which see the array through the frame.
struct Frame {
  std::map<synth::RegisterId, Window> through;  // windows of the array
  std::vector<synth::RegisterId> made_for_it;   // the frame, and what its base is filled by
};

struct FoundWindows {
  std::map<synth::RegisterId, Window> plain;  // of what the text slices
  std::map<synth::RegisterId, Frame> frames;

  // Those to use if these slices are copied. A frame is made if one of its slices is.
  Windows without(const Copied& copied) const;
  // The frame through which a window sees its source, if it is seen so; else none.
  std::optional<synth::RegisterId> frame_of(synth::RegisterId window) const;
};

// Those that only elementwise steps and reductions of the body that makes them read; rows of a few elements are left
// out, which are quicker read side by side.
FoundWindows find_windows(const synth::Program& program, const TileMaps& tiles);

}  // namespace tessera::runtime
