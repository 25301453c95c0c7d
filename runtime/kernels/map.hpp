// Elementwise operations with NumPy's broadcasting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// An operation on a run of n elements: out[i] is of operands[0][i * strides[0]], ... Strides count elements; `out` may
// be the memory of an operand of stride 1 whose elements have the same size.
struct MapLoop {
  void (*run)(std::byte* out, std::int64_t n, const std::byte* const* operands, const std::int64_t* strides);
  std::size_t operands;  // how many it reads; more may be given
};
inline constexpr std::size_t kMapOperandsMax = 3;

// The loop of an operation. An exponent that is one small whole number selects a loop of its own. For elements where an
// integer operation has no value the loops give 0.
MapLoop map_loop(synth::MapOp op, std::span<const TileView> operands, synth::ElementType result);

// Fills `out` with the operation's value at every element; operands are broadcast to its shape. `out` may be the memory
// of an operand of the same shape and element type. Returns the row-major number of the first element without a value:
// an integer divided by zero, or raised to a negative power.
std::optional<std::int64_t> map(synth::MapOp op, std::span<const TileView> operands, const TileOut& out);

}  // namespace tessera::runtime
