// Running sums by blocks: inside a block from its first position to its last, and what goes in front of a block.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "runtime/kernels/arithmetic.hpp"
#include "synth/collective/carries.hpp"

namespace tessera::runtime {

// A line of running sums: its length, and the steps along it in the array read and in the array written.
struct Lines {
  std::int64_t length, from_step, to_step;
};

// Sums inside a block run from its first position to its last; in front of them goes the sum of the blocks before it.
// Blocks are counted from where the line begins, so what a tile holds does not change a bit.
inline constexpr std::int64_t kSumBlock = synth::kRunningBlock;
// Each addition waits for the one before it in its block, but not for those of other blocks and lines.
inline constexpr std::int64_t kSumsAtOnce = 4;

// The sums inside N blocks of n positions each, whose first elements lie at from[k] and go to to[k], behind before[k]
// where `in_front`; gives the blocks' totals.
template <bool in_front, class T, std::size_t N>
std::array<T, N> sum_inside(const Lines& lines, const std::array<const T*, N>& from, const std::array<T*, N>& to,
                            std::int64_t n, const std::array<T, N>& before) {
  std::array<T, N> sums;
#pragma GCC unroll 4
  for (std::size_t k = 0; k < N; ++k) {
    sums[k] = from[k][0];
    to[k][0] = in_front ? plus(before[k], sums[k]) : sums[k];
  }
  for (std::int64_t i = 1; i < n; ++i) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < N; ++k) {
      sums[k] = plus(sums[k], from[k][i * lines.from_step]);
      to[k][i * lines.to_step] = in_front ? plus(before[k], sums[k]) : sums[k];
    }
  }
  return sums;
}

// The totals of a line's blocks added up from left to right, with what each addition of floats rounds off added up
// beside them: of very many blocks every one still counts.
template <class T>
class Before {
 public:
  Before() = default;
  // As they were left at another place.
  Before(T sum, T lost) : sum_(sum), lost_(lost) {}
  T sum() const { return sum_; }
  T lost() const { return lost_; }
  // What goes in front of the next block; nothing is added before the first.
  T value() const {
    if constexpr (Float<T>) {
      if (lost_ != 0) return sum_ + lost_;
    }
    return sum_;
  }
  void add(T total) {
    const T next = plus(sum_, total);
    if constexpr (Float<T>) {
      const T added = next - sum_;
      const T lost = (sum_ - (next - added)) + (total - added);
      if (!is_nan(lost)) lost_ += lost;  // of infinities nothing is lost
    }
    sum_ = next;
  }

 private:
  T sum_ = Combine<synth::ReduceKind::sum, T>::identity();
  T lost_{};
};

// Puts what is before a block in front of its n sums.
template <class T>
void put_in_front(const Lines& lines, T* to, std::int64_t n, T before) {
  T* const first = lines.to_step == -1 ? to - (n - 1) : to;
  if (std::abs(lines.to_step) == 1) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) first[i] = plus(before, first[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) first[i * lines.to_step] = plus(before, first[i * lines.to_step]);
  }
}

// The k-th of several stretches that begin so far apart.
template <class T>
std::array<T*, kSumsAtOnce> starts_of(T* first, std::int64_t step) {
  std::array<T*, kSumsAtOnce> starts;
  for (std::size_t k = 0; k < starts.size(); ++k) starts[k] = first + static_cast<std::int64_t>(k) * step;
  return starts;
}

}  // namespace tessera::runtime
