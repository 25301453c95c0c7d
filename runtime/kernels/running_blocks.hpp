// Running sums, products, maxima and minima by blocks: inside a block from its first position to its last, and what
// goes in front of a block. How is the Combine of the operation.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "base/check.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/elements/running.hpp"
#include "synth/moves/collective/carries.hpp"

namespace tessera::runtime {

// A line: its length, and the steps along it in the array read and in the array written.
struct Lines {
  std::int64_t length, from_step, to_step;
};

static_assert(kSumBlock == synth::kRunningBlock);
// Each operation waits for the one before it in its block, but not for those of other blocks and lines.
inline constexpr std::int64_t kLinesAtOnce = 4;

// Sums and products of floats depend on where blocks begin; all other values may be combined in any grouping.
template <class How, class T>
inline constexpr bool kRounds =
    Float<T> && (How::of_kind == synth::ReduceKind::sum || How::of_kind == synth::ReduceKind::product);

// Calls f with the Combine of the operation.
template <class T, class F>
void visit_scan(synth::ReduceOp op, const F& f) {
  if constexpr (Boolean<T>)
    throw base::InternalError("running sums of bool are those of i64");
  else
    visit_combine<T>(kind_of(op), f);
}

// The values inside N blocks of n positions each, whose first elements lie at from[k] and go to to[k], behind before[k]
// where `in_front`; gives the blocks' totals.
template <class How, bool in_front, class T, std::size_t N>
std::array<T, N> run_inside(const Lines& lines, const std::array<const T*, N>& from, const std::array<T*, N>& to,
                            std::int64_t n, const std::array<T, N>& before) {
  std::array<T, N> sums;
#pragma GCC unroll 4
  for (std::size_t k = 0; k < N; ++k) {
    sums[k] = from[k][0];
    to[k][0] = in_front ? How::combine(before[k], sums[k]) : sums[k];
  }
  for (std::int64_t i = 1; i < n; ++i) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < N; ++k) {
      sums[k] = How::combine(sums[k], from[k][i * lines.from_step]);
      to[k][i * lines.to_step] = in_front ? How::combine(before[k], sums[k]) : sums[k];
    }
  }
  return sums;
}

// Puts what is before a block in front of its n values.
template <class How, class T>
void put_in_front(const Lines& lines, T* to, std::int64_t n, T before) {
  T* const first = lines.to_step == -1 ? to - (n - 1) : to;
  if (std::abs(lines.to_step) == 1) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) first[i] = How::combine(before, first[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) first[i * lines.to_step] = How::combine(before, first[i * lines.to_step]);
  }
}

// The k-th of several stretches that begin so far apart.
template <class T>
std::array<T*, kLinesAtOnce> starts_of(T* first, std::int64_t step) {
  std::array<T*, kLinesAtOnce> starts;
  for (std::size_t k = 0; k < starts.size(); ++k) starts[k] = first + static_cast<std::int64_t>(k) * step;
  return starts;
}

}  // namespace tessera::runtime
