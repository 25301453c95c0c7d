// Strided copies: the one engine under box copies, transposes and everything else that only moves elements.
#pragma once

#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/stream.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// Copies every element of the view to the same index of a target of the same shape; they do not overlap.
void copy_elements(const TileView& from, const TileTarget& to, Writing writing = Writing::through_caches);
void copy_elements(const TileView& from, const TileOut& to, Writing writing = Writing::through_caches);

// Result dimension d is the operand's dimension permutation[d].
TileView transposed(const TileView& operand, std::span<const std::uint8_t> permutation);

}  // namespace tessera::runtime
