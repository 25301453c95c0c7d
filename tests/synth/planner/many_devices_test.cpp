// Machines too large to look at every message: what comes into a unit is known without, and what it lacks is a bound.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "synth/layout/place/fit.hpp"
#include "synth/layout/place/matrix.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/routing.hpp"
#include "synth/moves/collective/tile_exchange.hpp"
#include "synth/moves/prices/link_load.hpp"
#include "synth/moves/prices/time_bound.hpp"
#include "synth/moves/prices/unit_bound.hpp"
#include "synth/moves/reduce/search.hpp"
#include "synth/planner/plan.hpp"
#include "synth/planner/programs.hpp"
#include "synth/planner/ranking/sum_estimate.hpp"
#include "synth/planner/refinements.hpp"
#include "synth/verify/bounds.hpp"
#include "synth/verify/holdings.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// Of three levels, the inner units of so many devices.
Machine machine_of_three(std::int64_t devices, std::int64_t inner) {
  const std::int64_t nodes = (devices + inner - 1) / inner;
  return {{{"rack", (nodes + 1) / 2, 8e9, 1e-5}, {"node", 2, 25e9, 5e-6}, {"gpu", inner, 270e9, 1e-6}}};
}

// The elements that come in over every link as the walk over all messages meets them. Nearest senders that are relieved
// by others are another matter, so these are told that links between units cost nothing.
std::vector<std::int64_t> walked(const Cluster& cluster, const ArrayType& before, const ArrayType& after) {
  SenderRule rule = sender_rule(cluster);
  rule.unit_bandwidth = 0;
  std::vector<std::int64_t> in(cluster.links(), 0);
  Routing(before, after, nullptr, rule)
      .walk([&](std::int32_t from, std::int32_t to, const Box&, std::int64_t elements) {
        for (std::size_t l = cluster.parting(from, to); l < cluster.levels().size(); ++l)
          in[cluster.link(l, to)] += elements;
      });
  return in;
}

RC_GTEST_PROP(NearestExchange, BringsInWhatTheWalkMeets, ()) {
  const MeshRef here = any_mesh();
  const MeshRef there = *rc::gen::inRange(0, 2) == 0 ? here : any_mesh();
  const Shape shape = any_shape(2);
  const ArrayType before = any_type(here, shape, false);
  const ArrayType after = any_type(there, shape, false);
  const std::int64_t inner = *rc::gen::inRange<std::int64_t>(1, 5);
  const RunMachine machine =
      *machine_for(machine_of_three(run_devices(before, after), inner), run_devices(before, after));
  const Cluster cluster(machine);
  const NearestExchange exchange(cluster, before, after);
  const std::vector<std::int64_t> in = walked(cluster, before, after);
  for (std::size_t l = 0; l < cluster.levels().size(); ++l) {
    const Cluster::Level& level = cluster.levels()[l];
    RC_CLASSIFY(exchange.is_known(l), "a known level");
    if (!exchange.is_known(l)) continue;
    for (std::size_t link = level.first_link; link < level.first_link + level.units; ++link)
      RC_ASSERT(exchange.received()[link] == in[link]);
  }
  RC_ASSERT(exchange.is_known(cluster.levels().size() - 1));
}

// Meshes that lie on the levels of their machine: every level is known.
TEST(NearestExchange, KnowsAllLevelsThatAMeshLiesOn) {
  Random random(7);
  const RunMachine machine = on_run({{{"rack", 2, 8e9, 1e-5}, {"node", 4, 25e9, 5e-6}, {"gpu", 4, 270e9, 1e-6}}});
  const Cluster cluster(machine);
  const MeshRef plain = mesh("x:4,y:8");
  for_each_placement(place_problem(*plain, machine), [&](const PlaceMatrix& matrix) {
    const MeshRef on = *Mesh::placed(plain->axes(), matrix);
    for (int pair = 0; pair < 20; ++pair) {
      const Shape shape{16, static_cast<std::int64_t>(5 + random.below(12))};
      const ArrayType before = *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, 2, false, random));
      const ArrayType after = *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, 2, false, random));
      const NearestExchange exchange(cluster, before, after);
      const std::vector<std::int64_t> in = walked(cluster, before, after);
      for (std::size_t l = 0; l < cluster.levels().size(); ++l) EXPECT_TRUE(exchange.is_known(l)) << print(*on);
      EXPECT_TRUE(std::equal(in.begin(), in.end(), exchange.received().begin()))
          << print(*on) << ": " << print(before) << " -> " << print(after);
    }
    return true;
  });
}

// What all devices want is gathered level by level: in one step a device would fetch all of it from afar, and each link
// into a node would carry it once for every device there.
TEST(OnThreeLevels, GathersStayInsideUnits) {
  struct Case {
    std::string from;
    std::string to;
    double over_bound;
  };
  const std::vector<Case> cases{
      {"f32[65536@(x,y,z),1024]", "f32[65536,1024]", 1.65},
      {"f32[65536,1024@(z,y)]", "f32[65536,1024]", 1.25},
      {"f32[65536,1024@(y,z)]", "f32[65536,1024]", 1.25},
      {"f32[65536@x,1024@(z,y)]", "f32[65536@x,1024]", 1.4},
  };
  for (const char* const axes : {"x:8,y:8,z:8", "x:8,y:8,z:16"}) {
    const MeshRef on = mesh(axes);
    const std::int64_t inner = on->axes()[2].size;
    const RunMachine machine =
        on_run({{{"pod", 8, 25e9, 1e-5}, {"node", 8, 50e9, 5e-6}, {"device", inner, 300e9, 1e-6}}});
    for (const Case& one : cases) {
      const auto plan = synth::plan(type(one.from, on), type(one.to, on), machine);
      ASSERT_TRUE(plan.ok());
      EXPECT_LE(plan->seconds, one.over_bound * plan->lower_bound_seconds)
          << axes << ": " << one.from << " -> " << one.to;
    }
  }
}

// Too many devices for programs: a sum that other pods have copies of is cut by the devices of a node, not by pods too,
// which would have to bring the parts together again over their slow links.
TEST(OnThreeLevels, SumsAreCutInsideUnits) {
  const MeshRef on = mesh("x:64,y:32,z:32");
  const RunMachine machine = on_run({{{"pod", 64, 25e9, 1e-5}, {"node", 32, 50e9, 5e-6}, {"device", 32, 300e9, 1e-6}}});
  const auto plan = synth::plan(type("f32[65536,1024]{+y}", on), type("f32[65536@y,1024]", on), machine);
  ASSERT_TRUE(plan.ok());
  // 31 of 32 parts of 256 MiB come over a node's link; cut by pods too, they would take 11 ms.
  EXPECT_LE(plan->seconds, 1.05 * 31 / 32 * (256 << 20) / 50e9);
}

TEST(ExampleOf, RefinementsByLevels) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const RunMachine machine = on_run({{{"pod", 2, 1e9, 0}, {"node", 2, 1e9, 0}, {"device", 2, 1e9, 0}}});
  const ArrayType from = type("f32[64@(x,y,z)]", on);
  const ArrayType to = type("f32[64]", on);
  const std::vector<ArrayType> through{type("f32[64@(y,z)]", on), type("f32[64@z]", on)};
  EXPECT_EQ(Refinements(from, to, machine).by_levels().front(), through);
  // Two levels have one kind of units.
  const RunMachine nodes = on_run({{{"node", 4, 1e9, 0}, {"device", 2, 1e9, 0}}});
  EXPECT_TRUE(Refinements(from, to, nodes).by_levels().empty());
}

TEST(ExampleOf, UnitBound) {
  const MeshRef on = mesh("x:4,y:2");
  const Cluster cluster(on_run({{{"node", 2, 4, 0}, {"device", 4, 1e9, 0}}}));
  EXPECT_DOUBLE_EQ(
      first_units_bound(cluster, PlaceMatrix{{{2, 2}, {1, 2}}}, type("f32[8@x,8]", on), type("f32[8,8@y]", on)),
      32 * 4 / 4.0);
}

TEST(ExampleOf, SumEstimate) {
  const RunMachine machine = on_run({{{"node", 4, 8e9, 5e-6}, {"device", 16, 270e9, 1e-6}}});
  const MeshRef on = mesh("dp:16,tp:4");
  const PlaceMatrix matrix{{{4, 4}, {1, 4}}};
  const ArrayType from = type("f32[250000000]{+dp}", on);
  SumEstimate estimate(machine, *on);
  const ReduceLevels dp = *reduce_levels(matrix, from.layout().pending());
  ReduceGraphs graphs;
  const double quarter = best_program(graphs, Cluster(machine), dp, 250e6, ReduceGoal::all_reduce).seconds;
  const double gathered = 750e6 / 270e9 + 3 * 1e-6;
  EXPECT_NEAR(estimate.of(matrix, from, type("f32[250000000]", on)), quarter + gathered, 1e-9);
  EXPECT_NEAR(estimate.of(matrix, from, type("f32[250000000@tp]", on)), quarter, 1e-9);
  EXPECT_EQ(estimate.of(matrix, type("f32[16@dp]", on), type("f32[16]", on)), 0);
}

// No bound of the first units is above that of all units, which is not above the exact bound.
TEST(FirstUnitsBound, IsProvenByTheVerifier) {
  Random random(11);
  const RunMachine machine = on_run({{{"rack", 2, 8e9, 1e-5}, {"node", 3, 25e9, 5e-6}, {"gpu", 4, 270e9, 1e-6}}});
  const Cluster cluster(machine);
  const MeshRef plain = mesh("x:6,y:4");
  std::size_t equal = 0;
  std::size_t met = 0;
  for_each_placement(place_problem(*plain, machine), [&](const PlaceMatrix& matrix) {
    const MeshRef on = *Mesh::placed(plain->axes(), matrix);
    for (int pair = 0; pair < 60; ++pair) {
      const Shape shape{12, static_cast<std::int64_t>(5 + random.below(20))};
      const ArrayType from = *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, 2, pair % 2 == 0, random));
      const ArrayType to = *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, 2, false, random));
      SCOPED_TRACE(print(*on) + ": " + print(from) + " -> " + print(to));
      constexpr double kRounding = 1 + 1e-9;
      const double first = first_units_bound(cluster, matrix, from, to);
      const double all = verifier::least_seconds_of_units(verifier::Holdings(from), verifier::Holdings(to), machine, 4);
      EXPECT_LE(first, all * kRounding);
      EXPECT_LE(all, time_bound(machine, from, to) * kRounding);
      equal += first > 0 && all <= first * kRounding ? 1 : 0;
      ++met;
    }
    return true;
  });
  EXPECT_GT(2 * equal, met);  // units are mostly alike
}

// Plans of 1,024 devices, some of whose elements have many holders, are verified; and no link is busy for longer than
// its step takes.
TEST(ManyDevices, PlansTakeAsLongAsTheirBusiestLink) {
  const RunMachine machine = on_run({{{"rack", 4, 8e9, 1e-5}, {"node", 16, 25e9, 5e-6}, {"gpu", 16, 270e9, 1e-6}}});
  for (const auto& [on, from, to] :
       {std::tuple{"a:16,b:64 place [[1,4,4],[4,4,4]]", "f32[4096@b,64]", "f32[4096,64@b]"},
        std::tuple{"a:16,b:64 place [[4,1,4],[1,16,4]]", "f32[65536]{+b}", "f32[65536]"},
        std::tuple{"a:16,b:64", "f32[65536@b]", "f32[65536]"}, std::tuple{"a:16,b:64", "f32[65536@a]", "f32[65536@b]"},
        std::tuple{"a:64,b:16", "f32[1000@a,77]", "f32[1000,77@b]"}}) {
    const MeshRef mesh_of = mesh(on);
    const Plan made = planned(type(from, mesh_of), type(to, mesh_of), {}, machine);
    SCOPED_TRACE(std::string(on) + ": " + from + " -> " + to);
    EXPECT_TRUE(made.verified);
    EXPECT_LE(made.lower_bound_seconds, made.seconds);
    const ArrayType* before = &made.from;
    for (const PlanStep& step : made.steps) {
      const StepLoads loads = loads_of(machine, step.collective, *before, step.after);
      EXPECT_EQ(loads.all.received_bytes, step.received_bytes_total);
      for (const LinkLoad& link : loads.all.links)
        EXPECT_LE(link.seconds, step.seconds * (1 + 1e-9)) << "level " << link.level;
      before = &step.after;
    }
  }
}

// A bound above what the units prove is refused, and one below what each device lacks.
TEST(ManyDevices, BoundsThatNobodyProvesAreRefused) {
  const RunMachine machine = on_run({{{"rack", 4, 8e9, 1e-5}, {"node", 16, 25e9, 5e-6}, {"gpu", 16, 270e9, 1e-6}}});
  const MeshRef on = mesh("a:16,b:64");
  Plan made = planned(type("f32[65536@b]", on), type("f32[65536]", on), {}, machine);
  const double claimed = made.lower_bound_seconds;
  const double of_devices = 65536.0 * 4 * 63 / 64 / 270e9;
  EXPECT_GT(claimed, of_devices * 1.5);
  for (const double wrong : {claimed * 1.01, of_devices * 0.99}) {
    made.lower_bound_seconds = wrong;
    EXPECT_FALSE(verify(made, machine).ok()) << wrong;
  }
  made.lower_bound_seconds = of_devices;  // less than is known, but true
  EXPECT_TRUE(verify(made, machine).ok());
}

// Of all matrices the best is found, though only some are priced: the first units say where a gather crosses slow
// links.
TEST(ManyDevices, ThePlacementOfAGatherIsInsideTheRacks) {
  const RunMachine machine = on_run({{{"rack", 4, 8e9, 1e-5}, {"node", 16, 25e9, 5e-6}, {"gpu", 16, 270e9, 1e-6}}});
  EXPECT_GT(first_units_bound(Cluster(machine), PlaceMatrix{{{4, 1, 16}, {1, 16, 1}}},
                              type("f32[1048576@x]", "x:64,y:16"), type("f32[1048576]", "x:64,y:16")),
            first_units_bound(Cluster(machine), PlaceMatrix{{{1, 4, 16}, {4, 4, 1}}},
                              type("f32[1048576@x]", "x:64,y:16"), type("f32[1048576]", "x:64,y:16")));
}

}  // namespace
}  // namespace tessera::synth::test
