// Boxes of elements that are copied, element by element in the order of the target, in units of 1 to 16 bytes.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/division.hpp"
#include "runtime/device/text/rows.hpp"

namespace tessera::kernel {

// So many bytes as one value.
template <int bytes>
struct UnitOf;
template <>
struct UnitOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnitOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnitOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnitOf<8> {
  using type = std::uint64_t;
};
struct alignas(16) SixteenBytes {
  std::uint64_t low, high;
};
template <>
struct UnitOf<16> {
  using type = SixteenBytes;
};
template <int bytes>
using Unit = typename UnitOf<bytes>::type;

// Strides count units. No two units of a box lie 2^31 or more apart.
struct CopyDimension {
  Divisor extent;
  std::int32_t from = 0;
  std::int32_t to = 0;
};

// The innermost dimension is the last; those that there are not have extent 1.
template <int rank>
struct CopyBox {
  std::int64_t first_block;
  std::uint64_t from, to;
  std::int64_t count;  // of units, less than 2^31
  CopyDimension dimensions[rank];
};

struct CopyPlace {
  std::int32_t from, to;
};

// Where the unit of a row-major number lies.
template <int rank>
CopyPlace place_of(const CopyDimension (&dimensions)[rank], std::uint32_t number) {
  CopyPlace place{0, 0};
  TESSERA_UNROLL
  for (int d = rank - 1; d >= 0; --d) {
    const auto index = static_cast<std::int32_t>(d > 0 ? divide(number, dimensions[d].extent) : number);
    place.from += index * dimensions[d].from;
    place.to += index * dimensions[d].to;
  }
  return place;
}

template <int bytes, int rank>
struct Copy {
  struct Args {
    Table boxes;
    std::int64_t turns;
  };
  struct Shared {};
  struct Own {
    CopyBox<rank> box;
  };
  static constexpr int kThreads = 256;
  static constexpr int kPhases = 1;
  static constexpr int kEach = bytes >= 8 ? 4 : 8;  // units of a thread in a turn
  static constexpr int kTurn = kThreads * kEach;
  static std::int64_t turns(const Args& args, std::int64_t) { return args.turns; }

  template <int>
  static void run(const Args& args, const At& at, Shared&, Own& own) {
    if (at.turn == 0) own.box = row_of_block<CopyBox<rank>>(args.boxes, at.block);
    const std::int64_t turn = (at.block - own.box.first_block) * args.turns + at.turn;
    if (turn * kTurn >= own.box.count) return;
    const auto first = static_cast<std::uint32_t>(turn * kTurn + at.thread);
    const auto count = static_cast<std::uint32_t>(own.box.count);
    const Unit<bytes>* const from = memory<const Unit<bytes>>(own.box.from);
    Unit<bytes>* const to = memory<Unit<bytes>>(own.box.to);
    Unit<bytes> values[kEach];
    std::int32_t targets[kEach];
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {  // beyond the end the last one is read
      const std::uint32_t number = first + static_cast<std::uint32_t>(k * kThreads);
      const CopyPlace place = place_of(own.box.dimensions, number < count ? number : count - 1);
      values[k] = from[place.from];
      targets[k] = place.to;
    }
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {
      if (first + static_cast<std::uint32_t>(k * kThreads) < count) to[targets[k]] = values[k];
    }
  }
};

}  // namespace tessera::kernel
