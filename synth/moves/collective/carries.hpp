// What goes from tile to tile where a running sum, product, maximum or minimum is taken along a split dimension, or a
// recurrence.
//
// Positions are counted in the direction of the scan. Inside blocks of 256 of the whole dimension sums run from left to
// right; in front of them goes the sum of the blocks before, to which each block's total is added when it is complete,
// with what the additions of floats round off beside it. A tile that begins at position b therefore needs, of each
// line, that sum if a block is complete before b, what was rounded off if two are, and the sum inside the block that b
// cuts. Of integers all are one sum, since their additions may be taken in any order. A product of floats needs the
// same but for what is rounded off; one of integers, a maximum and a minimum are one value, and so is a recurrence.
//
// Example: on x:4 and f32[1000@x], device 1 begins at position 250, inside the first block, and needs one value; device
// 2 at 500 two, the total of a block and the sum inside the second one; device 3 at 750 three. All receive 24 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

inline constexpr std::int64_t kRunningBlock = 256;

// What a tile needs of each line: of blocks of sums, of blocks of products, or one value whatever the blocks.
enum class CarryKind : std::uint8_t { sums, products, single };
CarryKind carry_kind(ReduceOp op);

// How an operation goes along its result.
struct Running {
  std::size_t dimension = 0;
  bool reverse = false;
  CarryKind kind = CarryKind::sums;
};

// Which values of a line stand at a boundary.
struct CarryForm {
  bool has_sum = false;     // of the blocks before, or of integers of everything before
  bool has_lost = false;    // what the additions of that sum rounded off
  bool has_inside = false;  // the sum inside the block that the boundary cuts
  int values() const { return (has_sum ? 1 : 0) + (has_lost ? 1 : 0) + (has_inside ? 1 : 0); }
  friend bool operator==(const CarryForm&, const CarryForm&) = default;
};
CarryForm carry_form(ElementType element, CarryKind kind, std::int64_t position);

// A device gets what stands in front of its tile from one whose tile ends there and has the same lines.
struct CarryHop {
  std::int32_t source = 0;
  std::int32_t target = 0;
  std::int64_t position = 0;  // of the boundary
  std::int64_t lines = 0;
  friend bool operator==(const CarryHop&, const CarryHop&) = default;
};
// In ascending order of positions, so that a source has what it needs before it is asked. Devices with equal tiles get
// theirs from different ones.
std::vector<CarryHop> carry_hops(const ArrayType& type, std::size_t dimension, bool reverse);
std::int64_t carry_bytes(const CarryHop& hop, ElementType element, CarryKind kind);
// Of all hops, and of the largest.
std::int64_t carried_bytes(const std::vector<CarryHop>& hops, ElementType element, CarryKind kind);
std::int64_t carry_bytes_max(const std::vector<CarryHop>& hops, ElementType element, CarryKind kind);

// Where a tile begins along the dimension, in the direction of the scan.
std::int64_t running_position(const Interval& tile, std::int64_t extent, bool reverse);

}  // namespace tessera::synth
