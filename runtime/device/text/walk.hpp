// Where a block finds its tile, and a thread its elements: tables of tiles, and dimensions that several arrays share.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/rows.hpp"

// Before a loop that stays one.
#if defined(__CUDACC_RTC__)
#define TESSERA_ROLLED _Pragma("unroll 1")
#else
#define TESSERA_ROLLED
#endif

namespace tessera::kernel {

// 16 bytes of elements, which move at once.
template <class T>
struct alignas(16) Pack {
  static constexpr int kSize = 16 / sizeof(T);
  T at[kSize];
};

// 16 bytes that nobody looks into.
struct alignas(16) Sixteen {
  std::uint64_t halves[2];
};

inline bool is_aligned(std::uint64_t address) { return address % 16 == 0; }

struct Quotient {
  std::int64_t value, rest;
};
// Bit by bit, which is slow and seldom; the compiler's own division of 64 bits would be a call, for which registers are
// put aside.
inline Quotient divided_wide(std::uint64_t number, std::uint64_t by) {
  std::uint64_t value = 0;
  std::uint64_t rest = 0;
  TESSERA_ROLLED
  for (int bit = 63; bit >= 0; --bit) {
    rest = rest << 1U | (number >> bit & 1U);
    const bool fits = rest >= by;
    rest -= fits ? by : 0;
    value = value << 1U | (fits ? 1U : 0U);
  }
  return {static_cast<std::int64_t>(value), static_cast<std::int64_t>(rest)};
}
// Numbers of 32 bits are divided much quicker.
inline Quotient divided(std::int64_t number, std::int64_t by) {
  const auto wide = static_cast<std::uint64_t>(number);
  const auto divisor = static_cast<std::uint64_t>(by);
  if ((wide | divisor) >> 32U == 0) {
    const std::uint32_t value = static_cast<std::uint32_t>(wide) / static_cast<std::uint32_t>(divisor);
    return {value, static_cast<std::uint32_t>(wide) - value * static_cast<std::uint32_t>(divisor)};
  }
  return divided_wide(wide, divisor);
}

// Dimensions, the innermost last, that N arrays go along by steps of their own. There is at least one.
inline constexpr int kWalkRank = 16;
template <int N>
struct Walk {
  std::int64_t rank = 1;
  std::int64_t extents[kWalkRank] = {};
  std::int64_t steps[N][kWalkRank] = {};
};

template <int N>
struct Places {
  std::int64_t at[N];
};

// Where the element of this row-major number lies in each array.
template <int N>
Places<N> places(const Walk<N>& walk, std::int64_t number) {
  Places<N> found{};
  TESSERA_ROLLED
  for (std::int64_t d = walk.rank - 1; d >= 0; --d) {
    std::int64_t index = number;
    if (d > 0) {
      const Quotient quotient = divided(number, walk.extents[d]);
      index = quotient.rest;
      number = quotient.value;
    }
    TESSERA_UNROLL
    for (int k = 0; k < N; ++k) found.at[k] += index * walk.steps[k][d];
  }
  return found;
}
inline std::int64_t place(const Walk<1>& walk, std::int64_t number) { return places(walk, number).at[0]; }

}  // namespace tessera::kernel
