// Elements side by side in registers, and the numbers that a launch's table gives a kernel of a chain.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/division.hpp"

namespace tessera::kernel {

// Sixteen bytes at most are read at once.
template <class T, int n>
struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) Several {
  T items[n];
  constexpr T& operator[](int i) { return items[i]; }
  constexpr const T& operator[](int i) const { return items[i]; }
};

#if defined(__CUDACC_RTC__)
// What is read or written by one instruction.
template <int bytes>
struct AtOnce {
  using type = uint4;
};
template <>
struct AtOnce<8> {
  using type = uint2;
};
template <>
struct AtOnce<4> {
  using type = unsigned int;
};
template <>
struct AtOnce<2> {
  using type = unsigned short;
};
template <>
struct AtOnce<1> {
  using type = unsigned char;
};
template <class Some>
struct InPieces {
  using Piece = typename AtOnce<(sizeof(Some) < 16 ? sizeof(Some) : 16)>::type;
  Piece pieces[sizeof(Some) / sizeof(Piece)];
};
#endif

// From element `first` on of the array at an address; there the n elements are aligned.
template <class T, int n>
Several<T, n> side_by_side(std::uint64_t array, std::int64_t first) {
  const std::uint64_t address = array + static_cast<std::uint64_t>(first) * sizeof(T);
#if defined(__CUDACC_RTC__)
  using All = InPieces<Several<T, n>>;
  All all;
  TESSERA_UNROLL
  for (int i = 0; i < static_cast<int>(sizeof(All) / sizeof(typename All::Piece)); ++i)
    all.pieces[i] = __ldca(memory<const typename All::Piece>(address) + i);
  return __builtin_bit_cast(Several<T, n>, all);
#else
  return *memory<const Several<T, n>>(address);
#endif
}
template <class T, int n>
void put_side_by_side(std::uint64_t array, std::int64_t first, const Several<T, n>& some) {
  const std::uint64_t address = array + static_cast<std::uint64_t>(first) * sizeof(T);
#if defined(__CUDACC_RTC__)
  using All = InPieces<Several<T, n>>;
  const All all = __builtin_bit_cast(All, some);
  TESSERA_UNROLL
  for (int i = 0; i < static_cast<int>(sizeof(All) / sizeof(typename All::Piece)); ++i)
    __stwb(memory<typename All::Piece>(address) + i, all.pieces[i]);
#else
  *memory<Several<T, n>>(address) = some;
#endif
}

// One element for all.
template <class T, int n>
Several<T, n> repeated(std::uint64_t array, std::int64_t place) {
  const T value = memory<const T>(array)[place];
  Several<T, n> some;
  TESSERA_UNROLL
  for (int i = 0; i < n; ++i) some[i] = value;
  return some;
}

// n elements whose places are not next to each other, or not aligned.
template <class T, int n, class Place>
Several<T, n> gathered(std::uint64_t array, const Place& place) {
  Several<T, n> some;
  TESSERA_UNROLL
  for (int i = 0; i < n; ++i) some[i] = memory<const T>(array)[place(static_cast<std::uint32_t>(i))];
  return some;
}
template <class T, int n, class Place>
void scatter(std::uint64_t array, const Several<T, n>& some, std::uint32_t count, const Place& place) {
  TESSERA_UNROLL
  for (int i = 0; i < n; ++i) {
    if (static_cast<std::uint32_t>(i) < count) memory<T>(array)[place(static_cast<std::uint32_t>(i))] = some[i];
  }
}

// A row of a launch's table: numbers, of which the first is that of the row's first block.
struct TableRow {
  const std::int64_t* words;
  std::int64_t number;

  std::int64_t operator[](int i) const { return words[i]; }
  std::uint64_t address(int i) const { return static_cast<std::uint64_t>(words[i]); }
  Divisor divisor(int i) const {
    const auto both = static_cast<std::uint64_t>(words[i]);
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32U),
            static_cast<std::uint32_t>(words[i + 1])};
  }
};

// Where in an array the element with a number lies: `number` counts through `rank` dimensions, whose divisors (but for
// the first) and then strides stand in the row from `word` on.
template <int rank>
std::int64_t place_in(const TableRow& row, int word, std::uint32_t number) {
  const int strides = word + 2 * (rank - 1);
  std::int64_t place = 0;
  TESSERA_UNROLL
  for (int d = rank - 1; d > 0; --d)
    place += std::int64_t{divide(number, row.divisor(word + 2 * (d - 1)))} * row[strides + d];
  return place + std::int64_t{number} * row[strides];
}

// The table, or the row itself where there is only one.
template <int words, bool single>
struct ChainTable {
  std::uint64_t table = 0;
  std::int64_t rows = 0;
  std::int64_t only[single ? words : 1] = {};

  TableRow row_of(std::int64_t block) const {
    if constexpr (single) return {only, 0};
    const std::int64_t* const all = memory<const std::int64_t>(table);
    std::int64_t low = 0;
    for (std::int64_t high = rows; high - low > 1;) {
      const std::int64_t middle = (low + high) / 2;
      if (all[middle * words] <= block)
        low = middle;
      else
        high = middle;
    }
    return {all + low * words, low};
  }
};

}  // namespace tessera::kernel
