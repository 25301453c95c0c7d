// Boxes of an array inside the tiles that hold them.
#pragma once

#include <utility>

#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/memory/stepped_box.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::runtime {

// The positions first + step*k of numbers k, for each dimension: `positions` gives the pair.
template <class Positions>
SteppedBox stepped(const synth::Box& numbers, const synth::Offset& offset, const Positions& positions) {
  SteppedBox result{numbers, {}};
  bool has_gaps = false;
  for (std::size_t d = 0; d < numbers.size(); ++d) {
    const auto [first, step] = positions(offset[d]);
    const std::int64_t begin = first + step * numbers[d].begin;
    result.box[d] = {begin, begin + numbers[d].length()};
    result.steps.push_back(step);
    has_gaps = has_gaps || step != 1;
  }
  if (!has_gaps) result.steps.clear();
  return result;
}

// The begin of a box, counted from that of another box that holds it.
inline synth::Shape begin_in(const synth::Box& box, const synth::Box& around) {
  synth::Shape begin;
  for (std::size_t d = 0; d < box.size(); ++d) begin.push_back(box[d].begin - around[d].begin);
  return begin;
}

// The tile's elements of a box that may have gaps.
inline TileView part_in(const TileView& tile, const synth::Box& tile_box, const SteppedBox& part) {
  TileView view = part_of(tile, begin_in(part.box, tile_box), synth::shape_of(part.box));
  for (std::size_t d = 0; d < part.steps.size(); ++d) view.strides[d] *= part.steps[d];
  return view;
}

// The part of a tile that is `box` of the array.
inline TileTarget target_part(const TileOut& tile, const synth::Box& tile_box, const synth::Box& box) {
  const TileView part = part_of(dense_view(tile), begin_in(box, tile_box), synth::shape_of(box));
  return {part.strides, tile.data + (part.data - tile.data)};
}
inline TileTarget target_part(const TileOut& tile, const synth::Box& tile_box, const SteppedBox& part) {
  const TileView view = part_in(dense_view(tile), tile_box, part);
  return {view.strides, tile.data + (view.data - tile.data)};
}

// Where the elements of a copy's box lie in its source, and in its target.
inline SteppedBox source_of_copy(const synth::Box& numbers, const synth::Offset& offset) {
  return stepped(numbers, offset, [](const synth::Shift& shift) { return std::pair(shift.offset, shift.step); });
}
inline SteppedBox target_of_copy(const synth::Box& numbers, const synth::Offset& offset) {
  return stepped(numbers, offset, [](const synth::Shift& shift) { return std::pair(shift.add, shift.spread); });
}

}  // namespace tessera::runtime
