// The inner loops of copies that are not one long run: rectangles that one side walks by rows and the other by columns,
// and runs of a few elements. Included by copy.cpp only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

// Runs of up to this many elements are copied by loops of their own.
inline constexpr std::int64_t kShortRun = 16;

// Calls f(integral_constant n) for the n in [1, kShortRun].
template <class F>
void with_short_length(std::int64_t n, const F& f) {
  [&]<std::int64_t... I>(std::integer_sequence<std::int64_t, I...>) {
    ((n == I + 1 ? f(std::integral_constant<std::int64_t, I + 1>{}) : void()), ...);
  }(std::make_integer_sequence<std::int64_t, kShortRun>{});
}

// `runs` runs of n elements each, `to_step` and `from_step` apart.
template <std::int64_t n, class T>
void copy_short_runs(T* to, std::int64_t to_step, const T* from, std::int64_t from_step, std::int64_t runs) {
  for (std::int64_t i = 0; i < runs; ++i) std::memcpy(to + i * to_step, from + i * from_step, n * sizeof(T));
}

// As copy_short_runs, past the caches; the target's runs lie side by side.
template <std::int64_t n, class T>
void stream_short_runs(T* to, const T* from, std::int64_t from_step, std::int64_t runs) {
  constexpr std::int64_t kRuns = std::max<std::int64_t>(1, 4096 / (n * static_cast<std::int64_t>(sizeof(T))));
  alignas(64) std::array<T, static_cast<std::size_t>(kRuns * n)> block;
  for (std::int64_t at = 0; at < runs; at += kRuns) {
    const std::int64_t some = std::min(kRuns, runs - at);
    copy_short_runs<n>(block.data(), n, from + at * from_step, from_step, some);
    stream_copy(reinterpret_cast<std::byte*>(to + at * n), reinterpret_cast<const std::byte*>(block.data()),
                static_cast<std::size_t>(some * n) * sizeof(T));
  }
}

// A rectangle whose rows the target walks and whose columns the source walks: to[r * to_step + c] = from[r + c *
// from_step].
template <class T>
struct Crossing {
  T* to;
  std::int64_t to_step;
  const T* from;
  std::int64_t from_step;
  std::int64_t rows, columns;

  Crossing part(std::int64_t row, std::int64_t column, std::int64_t rows_max, std::int64_t columns_max) const {
    return {to + row * to_step + column,     to_step,
            from + row + column * from_step, from_step,
            std::min(rows_max, rows - row),  std::min(columns_max, columns - column)};
  }
};

// For few rows: the source's runs are short.
template <std::int64_t rows, class T>
void copy_few_rows(const Crossing<T>& c) {
  for (std::int64_t column = 0; column < c.columns; ++column) {
    for (std::int64_t row = 0; row < rows; ++row) c.to[row * c.to_step + column] = c.from[row + column * c.from_step];
  }
}
// For few columns: the target's runs are short.
template <std::int64_t columns, class T>
void copy_few_columns(const Crossing<T>& c) {
  for (std::int64_t row = 0; row < c.rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column)
      c.to[row * c.to_step + column] = c.from[row + column * c.from_step];
  }
}

// A square's side, in elements: its rows are 256 bytes (of bool 64).
template <class T>
inline constexpr std::int64_t kSquare = sizeof(T) == 1 ? 64 : 256 / static_cast<std::int64_t>(sizeof(T));

// Elements are moved as floats where there are floats of their size, which keeps all their bits: as whole numbers they
// took three times as long (GCC 12).
template <class T>
using Carried = std::conditional_t<sizeof(T) == 4, float, std::conditional_t<sizeof(T) == 8, double, T>>;

// At most a square. Its columns are brought together first, whole lines of the cache at a time: where the steps are
// powers of two, all lie in the same few places of the cache, and none would stay until its next element is wanted.
template <class T>
void copy_square(const Crossing<T>& c, bool past_caches) {
  constexpr std::int64_t kPitch = kSquare<T> + 16 / static_cast<std::int64_t>(sizeof(T));
  alignas(64) std::array<Carried<T>, static_cast<std::size_t>(kPitch * kSquare<T>)> lines;
  alignas(64) std::array<Carried<T>, static_cast<std::size_t>(kSquare<T>)> row;
  const auto column_bytes = static_cast<std::size_t>(c.rows) * sizeof(T);
  const auto row_bytes = static_cast<std::size_t>(c.columns) * sizeof(T);
  for (std::int64_t column = 0; column < c.columns; ++column)
    std::memcpy(lines.data() + column * kPitch, c.from + column * c.from_step, column_bytes);
  for (std::int64_t r = 0; r < c.rows; ++r) {
    for (std::int64_t column = 0; column < c.columns; ++column) row[column] = lines[column * kPitch + r];
    T* const target = c.to + r * c.to_step;
    if (past_caches)
      stream_copy(reinterpret_cast<std::byte*>(target), reinterpret_cast<const std::byte*>(row.data()), row_bytes);
    else
      std::memcpy(target, row.data(), row_bytes);
  }
}

template <class T>
void copy_crossing(const Crossing<T>& c, bool past_caches) {
  if (c.rows <= kShortRun && c.columns > c.rows)
    return with_short_length(c.rows, [&](auto rows) { copy_few_rows<rows>(c); });
  if (c.columns <= kShortRun) return with_short_length(c.columns, [&](auto columns) { copy_few_columns<columns>(c); });
  constexpr std::int64_t kSide = kSquare<T>;
  for (std::int64_t row = 0; row < c.rows; row += kSide) {
    for (std::int64_t column = 0; column < c.columns; column += kSide)
      copy_square(c.part(row, column, kSide, kSide), past_caches);
  }
}

}  // namespace tessera::runtime
