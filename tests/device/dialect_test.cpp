// Kernels of the dialect, emulated: phases, turns, what threads share, and in which orders they run.
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

#include "runtime/device/text/dialect.hpp"
#include "tests/device/host_launcher.hpp"

namespace tessera::device {
namespace {

struct SumArgs {
  std::uint64_t from = 0, to = 0;
  std::int64_t turns = 0;
};

// Every block adds up 64 numbers a turn, through Shared, and the last turn's thread 0 writes what all turns gave.
const KernelText kSum{{}, "BlockSum", R"(
namespace tessera::kernel {
struct BlockSum {
  struct Args { std::uint64_t from, to; std::int64_t turns; };
  struct Shared { std::int32_t values[64]; };
  struct Own { std::int32_t sum; };
  static constexpr int kThreads = 64;
  static constexpr int kPhases = 2;
  static std::int64_t turns(const Args& args, std::int64_t) { return args.turns; }
  template <int phase>
  static void run(const Args& args, At at, Shared& shared, Own& own) {
    if constexpr (phase == 0) {
      shared.values[at.thread] = memory<std::int32_t>(args.from)[(at.block * args.turns + at.turn) * 64 + at.thread];
    } else if (at.thread == 0) {
      if (at.turn == 0) own.sum = 0;
      for (int i = 0; i < 64; ++i) own.sum += shared.values[i];
      if (at.turn + 1 == args.turns) memory<std::int32_t>(args.to)[at.block] = own.sum;
    }
  }
};
}  // namespace tessera::kernel
)"};

TEST(Dialect, PhasesSeeWhatEarlierPhasesShared) {
  HostLauncher launcher(1);
  std::vector<std::int32_t> from(64 * 3 * 5);
  std::iota(from.begin(), from.end(), 7);
  for (const std::uint64_t seed : {1U, 2U, 12345U}) {
    std::vector<std::int32_t> to(5, -1);
    launcher.set_seed(seed);
    ASSERT_TRUE(launch(launcher, kSum, 5, SumArgs{address_of(from.data()), address_of(to.data()), 3}).ok());
    for (std::size_t b = 0; b < to.size(); ++b) {
      const auto* const begin = from.data() + b * 192;
      EXPECT_EQ(to[b], std::accumulate(begin, begin + 192, 0));
    }
  }
  EXPECT_EQ(launcher.launches(), 3);
}

TEST(Dialect, EverySeedGivesAnOrderOfAllThreads) {
  for (const std::uint64_t seed : {0U, 1U, 5U, 1021U, 99999U}) {
    std::set<int> places;
    for (int i = 0; i < 128; ++i) places.insert(kernel::place_in_order(i, 128, seed));
    EXPECT_EQ(places.size(), 128U);
    EXPECT_EQ(*places.begin(), 0);
    EXPECT_EQ(*places.rbegin(), 127);
  }
}

TEST(Dialect, ATextThatDoesNotCompileSaysWhy) {
  HostLauncher launcher(1);
  const auto status = launch(launcher, {{}, "Nothing", "struct nonsense"}, 1, SumArgs{});
  ASSERT_FALSE(status.ok());
}

TEST(Dialect, RoomIsAlignedAndHoldsNonsense) {
  HostLauncher launcher(1);
  const auto room = launcher.scratch(100);
  ASSERT_TRUE(room.ok());
  EXPECT_EQ(*room % 256, 0U);
  EXPECT_EQ(*kernel::memory<std::uint8_t>(*room), 0xff);
}

}  // namespace
}  // namespace tessera::device
