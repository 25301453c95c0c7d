// Boxes of an array inside the tiles that hold them.
#pragma once

#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/tile.hpp"
#include "synth/collective/moves.hpp"

namespace tessera::runtime {

// The begin of a box, counted from that of another box that holds it; with an offset, of the box moved by it.
inline synth::Shape begin_in(const synth::Box& box, const synth::Box& around, const synth::Offset* offset = nullptr) {
  synth::Shape begin;
  for (std::size_t d = 0; d < box.size(); ++d) {
    begin.push_back(box[d].begin - around[d].begin + (offset == nullptr ? 0 : (*offset)[d]));
  }
  return begin;
}

// The part of a tile that is `box` of the array.
inline TileTarget target_part(const TileOut& tile, const synth::Box& tile_box, const synth::Box& box) {
  const TileView part = part_of(dense_view(tile), begin_in(box, tile_box), synth::shape_of(box));
  return {part.strides, tile.data + (part.data - tile.data)};
}

}  // namespace tessera::runtime
