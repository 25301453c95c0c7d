// Einstein sums of tiles.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// Those in order are summed as small ones are.
enum class LargeProducts : std::uint8_t { by_blas, in_order };

// Two that are the same array give a symmetric product where one is the other's transpose: half of it is computed.
enum class Operands : std::uint8_t { may_differ, are_the_same };

// out = the Einstein sum of one or more operands (synth::Contract says what the indices mean). Every element of the
// result is a sum of products, in operand order, taken in ascending order of the summed indices, the last fastest.
// - Products of two matrices with at least 16 results a batch: large ones of floats are computed by BLAS, which adds in
//   an order of its own (blas.hpp), which may be another for the same array twice, 8,192 terms at a time, joined in
//   pairs; small ones one term after the other.
// - All others, those of a matrix and a vector among them, reduce their terms as reduce() does: blocks of 128 in eight
// lanes, joined in pairs. A sum of no terms is the identity of sums.
void contract(const synth::Contract& how, std::span<const TileView> operands, const TileOut& out,
              LargeProducts large = LargeProducts::by_blas, Operands given = Operands::may_differ);

}  // namespace tessera::runtime
