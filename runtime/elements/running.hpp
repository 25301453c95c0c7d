// The next value of a recurrence, and what goes in front of the blocks of running sums, products, maxima and minima.
#pragma once

#include <cstdint>

#include "runtime/elements/arithmetic.hpp"

namespace tessera::runtime {

// Product and sum are rounded, one after the other.
template <class T>
TESSERA_INLINE T next_of(T a, T y, T b) {
  return plus(times(a, y), b);
}

// Values inside a block run from its first position to its last; in front of them goes the value of the blocks before
// it. Blocks are counted from where the line begins, so what a tile holds does not change a bit.
inline constexpr std::int64_t kSumBlock = 256;

// The totals of a line's blocks combined from left to right. Of sums of floats, what each addition rounds off is added
// up beside them: of very many blocks every one still counts.
template <class How, class T>
class Before {
 public:
  Before() = default;
  // As they were left at another place.
  Before(T sum, T lost) : sum_(sum), lost_(lost) {}
  T sum() const { return sum_; }
  T lost() const { return lost_; }
  // What goes in front of the next block; nothing is added before the first.
  T value() const {
    if constexpr (kLoses) {
      if (lost_ != 0) return sum_ + lost_;
    }
    return sum_;
  }
  void add(T total) {
    const T next = How::combine(sum_, total);
    if constexpr (kLoses) {
      const T added = next - sum_;
      const T lost = (sum_ - (next - added)) + (total - added);
      if (!is_nan(lost)) lost_ += lost;  // of infinities nothing is lost
    }
    sum_ = next;
  }

 private:
  static constexpr bool kLoses = Float<T> && How::of_kind == synth::ReduceKind::sum;

  T sum_ = How::identity();
  T lost_{};
};

}  // namespace tessera::runtime
