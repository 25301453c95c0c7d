// Boxes with gaps, of an array and of a tile.
#pragma once

#include <compare>
#include <cstddef>

#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

// Elements of an array: those of a box; with steps, from the box's begin on every so many-th along each dimension, as
// many as the box is long there.
struct SteppedBox {
  synth::Box box;
  synth::Shape steps = {};
  friend auto operator<=>(const SteppedBox&, const SteppedBox&) = default;
};

// Such elements of a device's tile.
struct TileBox {
  std::size_t device = 0;
  synth::Box box;
  synth::Shape steps = {};
  SteppedBox elements() const { return {box, steps}; }
  friend auto operator<=>(const TileBox&, const TileBox&) = default;
};

}  // namespace tessera::runtime
