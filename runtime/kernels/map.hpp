// Elementwise operations with NumPy's broadcasting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/kernels/map_loop.hpp"
#include "runtime/kernels/tile.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

inline constexpr std::size_t kMapOperandsMax = 3;

// The loop of an operation. An exponent that is one small whole number selects a loop of its own. For elements where an
// integer operation has no value the loops give 0.
MapLoop map_loop(synth::MapOp op, std::span<const TileView> operands, synth::ElementType result);

// Fills `out` with the operation's value at every element; operands are broadcast to its shape. `out` may be the memory
// of an operand of the same shape and element type. Returns the row-major number of the first element without a value:
// an integer divided by zero, or raised to a negative power.
std::optional<std::int64_t> map(synth::MapOp op, std::span<const TileView> operands, const TileOut& out);

}  // namespace tessera::runtime
