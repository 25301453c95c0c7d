// Part of a tile made where the whole tile lies.
#pragma once

#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// The elements of a box, dense and row-major at the beginning of the tile's memory, go to their places in the tile: the
// box begins at `begin` and has the given shape. The other elements become the identity of sums. No memory is taken,
// since no element lies behind its place.
// Example: the box [2, 2] at [0, 1] of a tile [2, 4], whose memory begins with 1 2 3 4, becomes 0 1 2 0 0 3 4 0 (each 0
// of a float is -0.0).
void spread(const TileOut& out, const synth::Shape& begin, const synth::Shape& shape);

}  // namespace tessera::runtime
