// Tiles without operands: every element is a function of its number in the whole array, so that values do not depend on
// the layout.
#pragma once

#include <cstdint>

#include "runtime/kernels/stream.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/kernels/vector_targets.hpp"

namespace tessera::runtime {

// The place of a tile: its box, in an array of this shape.
struct TilePlace {
  synth::Shape shape;
  synth::Box box;
};

void fill(const std::byte* scalar, const TileOut& out, Writing writing = Writing::through_caches);
// The element's row-major number.
void iota(const TilePlace& place, const TileOut& out, Writing writing = Writing::through_caches);
// Philox4x32-10 with key `seed` and the element's number as counter. Uniform in [0, 1): the topmost 24 bits of the
// first word for f32, 53 bits of the first two for f64. Normal: Box-Muller of two 53-bit uniforms of the same block.
// All targets give the same bits.
void random(std::int64_t seed, const TilePlace& place, const TileOut& out, VectorTarget target = widest_target());
void normal(std::int64_t seed, const TilePlace& place, const TileOut& out, VectorTarget target = widest_target());

}  // namespace tessera::runtime
