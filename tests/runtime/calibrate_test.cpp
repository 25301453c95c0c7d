// Machines that ranks measure: which levels are found, and that their figures are some. How good figures are is tested
// between hosts (tests/mpi/test_hosts.py).
#include "runtime/ranks/calibrate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/ranks/rank_clusters.hpp"
#include "tests/runtime/crowd.hpp"

namespace tessera::runtime::test {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

// `host 2, rank 2`, or why not; and whether the figures are fit for a machine.
std::string measured(Team& team, std::int64_t devices) {
  const auto machine = calibrate(team, devices, 0.5);
  if (!machine) return machine.errors().front().message;
  std::string text;
  std::int64_t product = 1;
  for (const synth::MachineLevel& level : machine->levels) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level.name, level.count);
    product *= level.count;
    const bool right = level.latency_seconds > 0 && level.gap_seconds.value_or(0) > 0 &&
                       *level.gap_seconds <= level.latency_seconds && level.bandwidth_bytes_per_second > 1e6;
    if (!right) text += " with strange figures";
  }
  if (!synth::machine_for(*machine, product)) text += " that is no machine";
  return text;
}

std::vector<std::string> in_crowd_measured(const Machines& machines, MemorySharing sharing, std::int64_t devices,
                                           const std::string& expected) {
  return in_crowd(machines, sharing, [&](const std::shared_ptr<Team>& team) {
    const std::string found = measured(*team, devices);
    return found == expected ? std::string() : found;
  });
}

TEST(Calibrate, FindsHostsRanksAndDevices) {
  EXPECT_THAT(in_crowd_measured({0, 0, 2, 2}, kCrowdSharing, 0, "host 2, rank 2"), IsEmpty());
  EXPECT_THAT(in_crowd_measured({0, 0, 2, 2}, kCrowdSharing, 8, "host 2, rank 2, device 2"), IsEmpty());
  EXPECT_THAT(in_crowd_measured({0, 0, 0}, kCrowdSharing, 3, "rank 3"), IsEmpty());
  EXPECT_THAT(in_crowd_measured({0, 0, 0}, MemorySharing::off, 0, "rank 3"), IsEmpty());
  EXPECT_THAT(in_crowd_measured({0, 1, 2}, MemorySharing::off, 6, "host 3, device 2"), IsEmpty());
}

TEST(Calibrate, OneProcess) {
  Team alone;
  EXPECT_EQ(measured(alone, 4), "device 4");
  EXPECT_THAT(measured(alone, 1), HasSubstr("one device has no links"));
}

TEST(Calibrate, RefusesUnequalHosts) {
  const auto whys = in_crowd_measured({0, 0, 0, 3}, kCrowdSharing, 0, "");
  EXPECT_EQ(whys.size(), 4U);
  EXPECT_THAT(whys, Each(HasSubstr("a host has 3 ranks and another 1")));
  EXPECT_THAT(in_crowd_measured({0, 1, 0, 1}, kCrowdSharing, 0, ""), Each(HasSubstr("do not follow each other")));
  EXPECT_THAT(in_crowd_measured({0, 0}, kCrowdSharing, 3, ""), Each(HasSubstr("not the same number on each")));
}

// Pairs in one block of `near` take one second, others as much more as the block of `far` says.
PairSeconds pairs(std::int64_t members, std::int64_t near, double apart, std::int64_t far, double farther) {
  PairSeconds seconds(static_cast<std::size_t>(members), std::vector<double>(static_cast<std::size_t>(members), 0));
  for (std::int64_t a = 0; a < members; ++a) {
    for (std::int64_t b = a + 1; b < members; ++b)
      seconds[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = a / near == b / near ? 1
                                                                          : a / far == b / far ? apart
                                                                                               : farther;
  }
  return seconds;
}

TEST(ExampleOf, RankClusters) { EXPECT_EQ(cluster_sizes(pairs(4, 2, 2, 4, 2)), (std::vector<std::int64_t>{2})); }

TEST(Clusters, AreOverAQuarterApart) {
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(cluster_sizes(pairs(8, 4, 1.3, 8, 1.3)), (Sizes{4}));
  EXPECT_EQ(cluster_sizes(pairs(8, 4, 1.2, 8, 1.2)), Sizes{});
  EXPECT_EQ(cluster_sizes(pairs(12, 3, 2, 6, 4)), (Sizes{6, 3}));
  EXPECT_EQ(cluster_sizes(pairs(6, 6, 1, 6, 1)), Sizes{});
  // One slow pair makes no cluster.
  PairSeconds odd = pairs(4, 4, 1, 4, 1);
  odd[0][3] = 9;
  EXPECT_EQ(cluster_sizes(odd), Sizes{});
}

}  // namespace
}  // namespace tessera::runtime::test
