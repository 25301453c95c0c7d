// Long walks that parallel_ranges does not cut.
#pragma once

#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <cstdint>

namespace tessera::runtime {

// Has the work of this thread been given up? If so nobody will read its results. Loops ask every few thousand elements;
// once true, it stays true.
inline bool is_given_up() { return tbb::is_current_task_group_canceling(); }

// Calls piece(begin, end) for a few thousand of n elements after the other, until the work is given up.
template <class F>
void in_pieces(std::int64_t n, const F& piece) {
  constexpr std::int64_t kPiece = 1 << 13;
  for (std::int64_t begin = 0; begin < n && !is_given_up(); begin += kPiece) piece(begin, std::min(n, begin + kPiece));
}

}  // namespace tessera::runtime
