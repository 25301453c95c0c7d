// Long walks that parallel_ranges does not cut.
#pragma once

#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace tessera::runtime {

// Has the work of this thread been given up? If so nobody will read its results. Loops ask every few thousand elements;
// once true, it stays true.
inline bool is_given_up() { return tbb::is_current_task_group_canceling(); }

// Calls piece(begin, end) for a few thousand of n elements after the other, until the work is given up. Elements that
// lie `step` bytes apart are fewer at a time: the first touch of a page may cost a millisecond.
template <class F>
void in_pieces(std::int64_t n, const F& piece, std::int64_t step = 1) {
  constexpr std::int64_t kElements = 1 << 13;
  constexpr std::int64_t kReach = 1 << 22;
  const std::int64_t length =
      std::clamp<std::int64_t>(kReach / std::max<std::int64_t>(1, std::abs(step)), 1, kElements);
  for (std::int64_t begin = 0; begin < n && !is_given_up(); begin += length) piece(begin, std::min(n, begin + length));
}

}  // namespace tessera::runtime
