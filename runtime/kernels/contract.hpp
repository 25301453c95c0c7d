// Einstein sums of tiles.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// out = the Einstein sum of one or more operands (synth::Contract says what the indices mean). Every element of the
// result is a sum of products, in operand order, added one after the other in ascending order of the summed indices,
// the last fastest; it starts at the identity of sums. Large products of floats are computed by BLAS, which adds in an
// order of its own (blas.hpp).
void contract(const synth::Contract& how, std::span<const TileView> operands, const TileOut& out);

}  // namespace tessera::runtime
