// Work cut over all cores. Tasks never wait for each other, and their results do not depend on how the work was cut.
#pragma once

#include <cstdint>

namespace tessera::runtime {

// Elements worth a task of their own.
inline constexpr std::int64_t kGrain = 16'384;

// A function of a range, as parallel.cpp calls it: it is not owned.
struct RangeWork {
  const void* f;
  void (*call)(const void* f, std::int64_t begin, std::int64_t end);
};

// Calls `work` on disjoint ranges that cover [0, count), each of `grain` but the last of a task. Expects count > grain.
void cut_over_cores(std::int64_t count, std::int64_t grain, RangeWork work);

// Calls f(begin, end) on disjoint ranges that cover [0, count), each of about `grain`. If the work is cancelled
// meanwhile, ranges that have not begun are left out.
template <class F>
void parallel_ranges(std::int64_t count, std::int64_t grain, const F& f) {
  if (count <= 0) return;
  if (count <= grain) {
    f(std::int64_t{0}, count);
    return;
  }
  cut_over_cores(count, grain, {&f, [](const void* work, std::int64_t begin, std::int64_t end) {
                                  (*static_cast<const F*>(work))(begin, end);
                                }});
}

// Calls f(i) for every i in [0, count).
template <class F>
void parallel_each(std::int64_t count, const F& f) {
  parallel_ranges(count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace tessera::runtime
