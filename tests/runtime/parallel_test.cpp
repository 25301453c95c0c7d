// Work cut over cores: every element once, and what ThreadSanitizer is told of it.
#include "runtime/kernels/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tessera::runtime {
namespace {

TEST(ParallelRanges, CoverEveryElementOnceInRangesOfTheGrain) {
  for (const std::int64_t count : {0, 1, 2, 7, 63, 64, 65, 1'000, 4'097}) {
    for (const std::int64_t grain : {1, 2, 64, 1'000, 10'000}) {
      std::vector<int> times(static_cast<std::size_t>(count));
      std::atomic<std::int64_t> longest = 0;
      parallel_ranges(count, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++times[static_cast<std::size_t>(i)];
        std::int64_t before = longest;
        while (before < end - begin && !longest.compare_exchange_weak(before, end - begin)) {
        }
      });
      EXPECT_EQ(std::count(times.begin(), times.end(), 1), count) << count << " by " << grain;
      EXPECT_LE(longest, grain) << count << " by " << grain;
    }
  }
}

TEST(ParallelRanges, SeeWhatWasWrittenBeforeThemAndAreSeenAfterThem) {
  std::vector<std::int64_t> values(100'000);
  for (int round = 1; round <= 20; ++round) {
    for (std::int64_t& value : values) value += 1;
    parallel_each(std::ssize(values), [&](std::int64_t i) { values[static_cast<std::size_t>(i)] *= 2; });
  }
  EXPECT_EQ(std::count(values.begin(), values.end(), 2 * ((1 << 20) - 1)), std::ssize(values));
}

// oneTBB's own failures become a lack of memory; those of the work do not.
TEST(ParallelRanges, LetErrorsOfTheWorkThrough) {
  EXPECT_THROW(parallel_each(100, [](std::int64_t) { throw std::runtime_error("of the work"); }), std::runtime_error);
}

#ifdef __SANITIZE_THREAD__
// Two pieces that write the same place, on two threads at once: each waits (not forever, should there be one core)
// until another has begun, in a way that orders nothing.
void race() {
  std::atomic<int> begun = 0;
  int place = 0;
  parallel_each(2, [&](std::int64_t i) {
    begun.fetch_add(1, std::memory_order_relaxed);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (begun.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    place = static_cast<int>(i);
  });
  std::exit(place == 2 ? 1 : 0);
}

// Were the pieces told that they come one after the other, no race within the runtime would ever be found.
TEST(ThreadSanitizerDeathTest, StillReportsARaceOfTwoPieces) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(race(), testing::ExitedWithCode(66), "data race");
}
#endif

}  // namespace
}  // namespace tessera::runtime
