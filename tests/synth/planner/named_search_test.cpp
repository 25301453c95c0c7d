// Without a general exchange: our chain is the fastest that keeps the bound or, where none does, one of least peak,
// among all chains of single collectives there are. All ways between all layouts of a small mesh are worked out beside
// it, by Floyd's algorithm. Then moves digit by digit, which the planner considers beside its exchanges.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "synth/planner/by_digits.hpp"
#include "synth/planner/choice.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/steps.hpp"
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

SingleSteps single_steps(const std::vector<ArrayType>& types, const RunMachine& machine) {
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

// What the fastest ways take whose layouts have no larger tiles than a bound, worked out once for each bound.
class FastestWays {
 public:
  FastestWays(const std::vector<ArrayType>& types, Table seconds) : types_(types), seconds_(std::move(seconds)) {}

  double operator()(std::size_t a, std::size_t b) {
    const std::int64_t bound = std::max(tile_bytes_max(types_[a]), tile_bytes_max(types_[b]));
    auto known = by_bound_.find(bound);
    if (known == by_bound_.end()) {
      known = by_bound_.emplace(bound, over_ways(seconds_, no_larger(types_, bound), std::plus<>{})).first;
    }
    return known->second[a][b];
  }

 private:
  const std::vector<ArrayType>& types_;
  Table seconds_;
  std::map<std::int64_t, Table> by_bound_;
};

void expect_best(const std::vector<ArrayType>& types, const Machine& given) {
  const RunMachine machine = *machine_for(given, types[0].devices());
  const SingleSteps steps = single_steps(types, machine);
  const auto largest = [](double x, double y) { return std::max(x, y); };
  const Table peaks = over_ways(steps.peaks, std::vector<bool>(types.size(), true), largest);
  FastestWays fastest_way(types, steps.seconds);
  for (std::size_t a = 0; a < types.size(); ++a) {
    for (std::size_t b = 0; b < types.size(); ++b) {
      if (same_type(types[a], types[b])) continue;
      PlanOptions options;
      options.collectives_only = true;
      const Plan plan = planned(types[a], types[b], options, given);
      const double fastest = fastest_way(a, b);
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

const RunMachine kTwoNodes = on_run({{{"node", 2, 12.5e9, 5e-6}, {"device", 4, 300e9, 1e-6}}});

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

// ---- Digit by digit ----

const RunMachine kFourNodes = on_run({{{"node", 4, 12.5e9, 5e-6}, {"device", 4, 300e9, 1e-6}}});

// The move as a plan; no steps where there is none.
Plan by_digits(const ArrayType& from, const ArrayType& to, const RunMachine& machine) {
  Prices prices(machine);
  const auto chain = move_by_digits(from, to, prices, kNone);
  if (!chain) return Plan{};
  return *priced(prices, from, to, Planner::tessera, *chain);
}

// How far plans stay behind the fastest chain of single collectives that keeps the bound.
struct Behind {
  double mean = 1;  // geometric
  double most = 1;
};

Behind behind_all_chains(const Shape& shape, const RunMachine& machine) {
  const MeshRef on = mesh("x:2,y:2,z:2,w:2");
  const std::vector<ArrayType> types = types_of(on, shape, all_layouts(*on, 2));
  FastestWays fastest_way(types, single_steps(types, machine).seconds);
  Behind behind;
  double logarithms = 0;
  double count = 0;
  for (std::size_t pair = 0; pair < types.size() * types.size(); pair += 11) {
    const std::size_t a = pair / types.size();
    const std::size_t b = pair % types.size();
    if (same_type(types[a], types[b])) continue;
    const double ratio = planned(types[a], types[b], {}, machine).seconds / std::max(fastest_way(a, b), 1e-12);
    behind.most = std::max(behind.most, ratio);
    logarithms += std::log(std::max(ratio, 1.0));
    ++count;
  }
  behind.mean = std::exp(logarithms / count);
  return behind;
}

// Where latencies are all, many short launches may be faster than those that are looked at.
TEST(EveryChainOfCollectives, IsHardlyFasterThanAPlanOfTinyArrays) {
  const Behind behind = behind_all_chains({16, 16}, kFourNodes);
  EXPECT_LE(behind.mean, 1.11);
  EXPECT_LE(behind.most, 2.7);
}

TEST(EveryChainOfCollectives, IsNeverFasterThanAPlanOfLargeArrays) {
  EXPECT_LE(behind_all_chains({65536, 65536}, kFourNodes).most, kAsFast);
}

TEST(ByDigits, LeadToTheirTargetWithinTheBound) {
  const MeshRef on = mesh("x:2,y:6,z:2");
  const RunMachine machine = on_run({{{"node", 4, 12.5e9, 5e-6}, {"device", 6, 300e9, 1e-6}}});
  const std::vector<ArrayType> types = types_of(on, {48, 24, 24}, all_layouts(*on, 3));
  std::size_t found = 0;
  for (std::size_t pair = 0; pair < types.size() * types.size(); pair += 13) {
    const ArrayType& from = types[pair / types.size()];
    const ArrayType& to = types[pair % types.size()];
    Plan plan = by_digits(from, to, machine);
    if (plan.steps.empty()) continue;
    ++found;
    ASSERT_EQ(plan.steps.back().after, to) << print(from);
    const auto verified = with_bounds(plan, machine);
    ASSERT_TRUE(verified.ok()) << print(from) << " -> " << print(to) << ": " << verified.errors()[0].message;
  }
  EXPECT_GT(found, 700U);
}

TEST(ExampleOf, ByDigits) {
  const RunMachine pods = on_run({{{"pod", 8, 25e9, 10e-6}, {"node", 8, 50e9, 5e-6}, {"device", 8, 300e9, 1e-6}}});
  const MeshRef on = mesh("x:8,y:8,z:8");
  const ArrayType from = type("f32[65536@(x,y,z),1024]", on);
  const ArrayType to = type("f32[65536,1024@(z,y,x)]", on);
  const Plan plan = by_digits(from, to, pods);
  ASSERT_EQ(plan.steps.size(), 3U);
  for (const PlanStep& step : plan.steps) {
    EXPECT_EQ(kind_of(step.collective), CollectiveKind::all_to_all);
    EXPECT_EQ(step.group_size, 8);
  }
  // The figures of docs/redistribution.md for tiles of 4 KiB.
  const ArrayType small = type("f32[512@(x,y,z),1024]", on);
  const ArrayType small_to = type("f32[512,1024@(z,y,x)]", on);
  EXPECT_NEAR(by_digits(small, small_to, pods).seconds, 0.122e-3, 0.0005e-3);
  EXPECT_NEAR(cost(*machine_for(pods, 512), exchange_step(small_to), small, small_to).seconds, 5.12e-3, 0.005e-3);
}

TEST(ByDigits, AreForMachinesThatAFileDescribes) {
  const MeshRef on = mesh("x:8,y:8");
  const ArrayType from = type("f32[64@(x,y),64]", on);
  const ArrayType to = type("f32[64,64@(y,x)]", on);
  EXPECT_EQ(planned(from, to, {}, Machine{}).steps.size(), 1U);
  EXPECT_EQ(planned(from, to, {}, Machine{{{"device", 64, 100e9, 2e-6}}}).steps.size(), 2U);
}

}  // namespace
}  // namespace tessera::synth::test
