// Without a general exchange: our chain is the fastest that keeps the bound or, where none does, one of least peak,
// among all chains of single collectives there are. All ways between all layouts of a small mesh are worked out beside
// it, by Floyd's algorithm.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "synth/redistribute/choice.hpp"
#include "tests/synth/sound_changes.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
using Table = std::vector<std::vector<double>>;

// What single collectives, or slices, cost from every layout to every other: seconds, or the peak.
struct SingleSteps {
  Table seconds;
  Table peaks;
};

SingleSteps single_steps(const std::vector<ArrayType>& types, const Machine& machine) {
  SingleSteps steps{Table(types.size(), std::vector<double>(types.size(), kNone)), {}};
  steps.peaks = steps.seconds;
  Prices prices(machine);
  for (std::size_t a = 0; a < types.size(); ++a) {
    for (std::size_t b = 0; b < types.size(); ++b) {
      const auto chain = find_chain(types[a], types[b]);
      if (!chain || a == b) continue;
      const Plan step = *priced(prices, types[a], types[b], Planner::tessera, *chain);
      steps.seconds[a][b] = step.seconds;
      steps.peaks[a][b] = static_cast<double>(step.peak_bytes);
    }
  }
  return steps;
}

// The least over all ways whose layouts on the way are allowed.
template <class Join>
Table over_ways(Table table, const std::vector<bool>& allowed, Join&& join) {
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (!allowed[k]) continue;
    for (std::size_t a = 0; a < table.size(); ++a) {
      for (std::size_t b = 0; b < table.size(); ++b) {
        table[a][b] = std::min(table[a][b], join(table[a][k], table[k][b]));
      }
    }
  }
  return table;
}

std::vector<bool> no_larger(const std::vector<ArrayType>& types, std::int64_t bytes) {
  std::vector<bool> allowed;
  for (const ArrayType& type : types) allowed.push_back(tile_bytes_max(type) <= bytes);
  return allowed;
}

void expect_best(const std::vector<ArrayType>& types, const Machine& given) {
  const Machine machine = *machine_for(given, types[0].devices());
  const SingleSteps steps = single_steps(types, machine);
  const auto largest = [](double x, double y) { return std::max(x, y); };
  const Table peaks = over_ways(steps.peaks, std::vector<bool>(types.size(), true), largest);
  std::map<std::int64_t, Table> by_bound;
  for (std::size_t a = 0; a < types.size(); ++a) {
    for (std::size_t b = 0; b < types.size(); ++b) {
      if (same_type(types[a], types[b])) continue;
      const std::int64_t bound = std::max(tile_bytes_max(types[a]), tile_bytes_max(types[b]));
      auto known = by_bound.find(bound);
      if (known == by_bound.end()) {
        known = by_bound.emplace(bound, over_ways(steps.seconds, no_larger(types, bound), std::plus<>{})).first;
      }
      PlanOptions options;
      options.collectives_only = true;
      const Plan plan = planned(types[a], types[b], options, given);
      const double fastest = known->second[a][b];
      SCOPED_TRACE(print(types[a]) + " -> " + print(types[b]));
      if (fastest < kNone) {
        EXPECT_LE(plan.local_bytes_max, plan.bound_bytes);
        EXPECT_GE(plan.seconds, fastest * (1 - 1e-9));
        EXPECT_LE(plan.seconds, fastest * kAsFast * (1 + 1e-9));
      } else {
        EXPECT_EQ(static_cast<double>(plan.peak_bytes), peaks[a][b]);
      }
    }
  }
}

const Machine kTwoNodes{{{"node", 2, 12.5e9, 5e-6}, {"device", 4, 300e9, 1e-6}}};

// Each a test of its own, so that they can run side by side.
void expect_best_of_rank_two(const char* axes, const Shape& shape, const Machine& machine) {
  const MeshRef on = mesh(axes);
  expect_best(types_of(on, shape, all_layouts(*on, 2)), machine);
}

TEST(EveryChainOfCollectives, OfRankTwoOnOneLevel) { expect_best_of_rank_two("x:2,y:2,z:2", {8, 8}, Machine{}); }

TEST(EveryChainOfCollectives, OfRankTwoOnTwoNodes) { expect_best_of_rank_two("x:2,y:2,z:2", {8, 8}, kTwoNodes); }

TEST(EveryChainOfCollectives, OfLargeArraysOnTwoNodes) {
  expect_best_of_rank_two("x:2,y:2,z:2", {80000, 80000}, kTwoNodes);
}

TEST(EveryChainOfCollectives, OfUnevenExtents) { expect_best_of_rank_two("x:2,y:3,z:2", {7, 7}, Machine{}); }

TEST(EveryChainOfCollectives, OfExtentsThatDivide) { expect_best_of_rank_two("x:2,y:3,z:2", {6, 6}, Machine{}); }

}  // namespace
}  // namespace tessera::synth::test
