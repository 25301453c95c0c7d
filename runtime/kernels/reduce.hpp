// Reductions of a tile over some of its dimensions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// Reduces `dimensions` (ascending) of the operand into `out`, whose shape is the operand's without them. Elements
// combine in an order that the tile's shape alone fixes. Where the innermost dimension is reduced: blocks of 128
// elements in row-major order, each summed in eight interleaved lanes, blocks joined in pairs of equal size. Where it
// is kept: rows of 128 added one after the other, then joined likewise. A reduction of no elements gives the identity.
void reduce(synth::ReduceKind kind, const TileView& operand, std::span<const std::uint8_t> dimensions,
            const TileOut& out);

// A sequence may be reduced in pieces of so many elements, the last one shorter, whose results are joined as they come:
// the bits are those of reduce().
inline constexpr std::int64_t kReducePiece = std::int64_t{1} << 14U;
class PieceJoin {
 public:
  PieceJoin(synth::ReduceKind kind, synth::ElementType element);
  ~PieceJoin();
  // The next pieces' results, dense.
  void add(const TileView& pieces);
  // Writes the one element that they give, and begins anew.
  void finish(std::byte* out);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

// out = the row-major position, along `dimensions`, of the greatest (least) element; the first of equals; NaN beats
// all.
void arg_reduce(bool max, const TileView& operand, std::span<const std::uint8_t> dimensions, const TileOut& out);

// Where a tile's lines begin in the whole array, and how long they are there, along the dimensions that are searched.
struct LinePlace {
  synth::Shape begins;
  synth::Shape extents;
};
// out = the row-major position, in the whole array and along `dimensions`, of the first element of the tile that equals
// the `wanted` one of its line, which is the greatest (least) of all; NaN equals NaN. The greatest i64 if there is
// none.
void find(bool max, const TileView& operand, const TileView& wanted, std::span<const std::uint8_t> dimensions,
          const LinePlace& place, const TileOut& out);

// The running sum, product, maximum or minimum along one dimension, from its first element on or from its last.
enum class Direction : std::uint8_t { forward, backward };
void scan(synth::ReduceOp op, const TileView& operand, std::size_t dimension, const TileOut& out,
          Direction direction = Direction::forward);

// Elements combined left to right: out (dense or not) becomes parts[0] op parts[1] op ...; all of one shape.
struct TileTarget {
  synth::Shape strides;
  std::byte* data = nullptr;
};
void combine_parts(synth::ReduceOp op, std::span<const TileView> parts, const TileTarget& out);

// Fills a dense tile with what changes nothing in the reduction.
void fill_identity(synth::ReduceOp op, const TileOut& out);

}  // namespace tessera::runtime
