// Work cut over all cores. Tasks never wait for each other, and what they compute does not depend on how it was cut.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <cstdint>

namespace tessera::runtime {

// Elements worth a task of their own.
inline constexpr std::int64_t kGrain = 16'384;

// Calls f(begin, end) on disjoint ranges that cover [0, count), each of about `grain`. If the work is cancelled
// meanwhile, ranges that have not begun are left out.
template <class F>
void parallel_ranges(std::int64_t count, std::int64_t grain, const F& f) {
  if (count <= 0) return;
  if (count <= grain) {
    f(std::int64_t{0}, count);
    return;
  }
  using Range = tbb::blocked_range<std::int64_t>;
  tbb::parallel_for(Range(0, count, static_cast<std::size_t>(grain)), [&](const Range& r) {
    for (std::int64_t begin = r.begin(); begin < r.end() && !tbb::is_current_task_group_canceling(); begin += grain) {
      f(begin, std::min(begin + grain, r.end()));
    }
  });
}

// Calls f(i) for every i in [0, count).
template <class F>
void parallel_each(std::int64_t count, const F& f) {
  parallel_ranges(count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace tessera::runtime
