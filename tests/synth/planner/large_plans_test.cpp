// Plans on more than 512 devices: no rival that keeps the bound of memory is faster, the bounds of sums are as strong
// as on fewer, and the price says into how many stretches a sum is cut.
#include <algorithm>
#include <string>
#include <vector>

#include "synth/moves/prices/time_bound.hpp"
#include "synth/moves/prices/unit_bound.hpp"
#include "synth/moves/reduce/search.hpp"
#include "synth/moves/transfer/stretches.hpp"
#include "synth/planner/steps.hpp"
#include "synth/verify/bounds.hpp"
#include "synth/verify/holdings.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

constexpr double kLargeRounding = 1 + 1e-9;

TEST(ExampleOf, Stretches) {
  const auto linear = [](double each) {
    return [each](std::int64_t c) { return 1 / static_cast<double>(c) + each * static_cast<double>(c); };
  };
  EXPECT_EQ(best_stretches_of(4096, linear(0.3)).first, 2);
  EXPECT_EQ(best_stretches_of(4096, linear(0.495)).first, 1);
  EXPECT_EQ(best_stretches_of(4096 * 256, linear(1e-9)).first, 256);
  EXPECT_EQ(best_stretches_of(4096, linear(1e-9)).first, 256);
  EXPECT_EQ(best_stretches_of(16, linear(1e-9)).first, 2);  // no finer than an element
}

// ---- Rivals ----

struct LargeGround {
  std::string mesh;
  Machine machine;
};
std::vector<LargeGround> large_grounds() {
  return {{"x:32,y:32", {}},
          {"x:5,y:8,z:16", {}},
          {"x:16,y:4,z:16", Machine{{{"rack", 4, 8e9, 1e-5}, {"node", 16, 25e9, 5e-6}, {"gpu", 16, 270e9, 1e-6}}}},
          {"x:64,y:64", Machine{{{"pod", 16, 25e9, 1e-5}, {"node", 16, 50e9, 5e-6}, {"gpu", 16, 300e9, 1e-6}}}},
          {"x:10,y:60", Machine{{{"node", 75, 12.5e9, 5e-6}, {"gpu", 8, 300e9, 1e-6}}}},
          {"x:64,y:32,z:32", Machine{{{"pod", 64, 25e9, 1e-5}, {"node", 32, 50e9, 5e-6}, {"gpu", 32, 300e9, 1e-6}}}}};
}

// A whole axis of the mesh on any dimension, or pending, or unused: so that all rivals can say it.
Layout whole_axes(const Mesh& mesh, std::size_t rank, bool may_be_pending, Random& random) {
  std::vector<AxisList> splits(rank);
  AxisList pending;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const std::size_t where = random.below(rank + 2);
    if (where < rank) splits[where].push_back(whole_axis(mesh, axis));
    if (where == rank && may_be_pending) pending.push_back(whole_axis(mesh, axis));
  }
  return *Layout::make(mesh, std::move(splits), std::move(pending), ReduceOp::sum);
}

void expect_no_rival_is_faster(const ArrayType& from, const ArrayType& to, const Machine& machine) {
  const Plan ours = planned(from, to, {}, machine);
  for (const Planner rival : {Planner::paper, Planner::xla, Planner::shardy, Planner::dtensor, Planner::gather}) {
    PlanOptions options;
    options.planner = rival;
    const auto other = plan(from, to, machine, options);
    if (!other.ok() || other->local_bytes_max > other->bound_bytes) continue;
    EXPECT_LE(ours.seconds, other->seconds * 1.01 * kLargeRounding)
        << name(rival) << ", " << print(from.mesh()) << ": " << print(from) << " -> " << print(to);
  }
}

TEST(LargePlans, NoRivalThatKeepsTheBoundIsFaster) {
  expect_no_rival_is_faster(type("i64[2749@(x,y)]", "x:32,y:32"), type("i64[2749]", "x:32,y:32"), Machine{});
  Random random(3);
  for (const LargeGround& ground : large_grounds()) {
    const MeshRef on = mesh(ground.mesh);
    const int rounds = on->devices() > 10'000 ? 4 : 25;
    for (int round = 0; round < rounds; ++round) {
      Shape shape;
      for (std::size_t d = 0, rank = 1 + random.below(3); d < rank; ++d)
        shape.push_back(static_cast<std::int64_t>(1 + random.below(round % 2 == 0 ? 5000 : 300)));
      const auto any = [&](bool pending) {
        return *ArrayType::make(ElementType::i64, shape, on, whole_axes(*on, shape.size(), pending, random));
      };
      const ArrayType from = any(random.coin());
      expect_no_rival_is_faster(from, any(false), ground.machine);
    }
  }
}

// ---- Bounds ----

// 2(1 - 1/u) of what each device has, over the link of each of u nodes, whether there are 512 devices or more.
TEST(LargeSums, HaveTheBoundOfSmallOnes) {
  for (const std::int64_t nodes : {64, 128, 256}) {
    const MeshRef on = mesh("x:" + std::to_string(nodes) + ",y:8");
    const RunMachine machine = on_run({{{"node", nodes, 25e9, 5e-6}, {"gpu", 8, 300e9, 1e-6}}});
    const double whole = 256.0 * (1 << 20) / 25e9;
    const double part = 1 - 1.0 / static_cast<double>(nodes);
    const ArrayType from = type("f32[67108864]{+x,y}", on);
    EXPECT_NEAR(lower_bound(machine, from, type("f32[67108864]", on)).seconds, 2 * part * whole, 1e-9);
    EXPECT_NEAR(lower_bound(machine, from, type("f32[67108864@(x,y)]", on)).seconds, part * whole, 1e-9);
  }
}

// On machines small enough for both, what follows from places alone is no more than what all boxes say, and the
// verifier proves it; mostly it is the same.
TEST(LargeSums, BoundsOfPlacesAreProvenByTheVerifier) {
  Random random(17);
  const RunMachine machine = on_run({{{"rack", 2, 8e9, 1e-5}, {"node", 3, 25e9, 5e-6}, {"gpu", 4, 270e9, 1e-6}}});
  Machine unequal = machine;
  unequal.levels[0].unit_bandwidths = {8e9, 4e9};
  std::size_t equal = 0;
  std::size_t met = 0;
  for (const std::string text : {"x:6,y:4", "x:2,y:3,z:4", "x:4,y:6 place [[2,1,2],[1,3,2]]", "x:24"}) {
    const MeshRef on = mesh(text);
    for (int round = 0; round < 150; ++round) {
      const Machine& with = round % 3 == 0 ? unequal : machine;
      const Shape shape{12, static_cast<std::int64_t>(5 + random.below(20))};
      const ArrayType from = *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, 2, true, random));
      const ArrayType to = *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, 2, false, random));
      if (from.layout().pending().empty()) continue;
      SCOPED_TRACE(text + ": " + print(from) + " -> " + print(to));
      const double places = sum_crossings_bound(with, from, to);
      const double proven = verifier::least_seconds_of_units(verifier::Holdings(from), verifier::Holdings(to), with, 4);
      const double exact = time_bound(with, from, to);
      EXPECT_LE(places, proven * kLargeRounding);
      EXPECT_LE(proven, exact * kLargeRounding);
      equal += proven * kLargeRounding >= exact ? 1 : 0;
      ++met;
    }
  }
  EXPECT_GT(10 * equal, 8 * met) << equal << " of " << met;
}

// ---- Stretches ----

// One stretch of messages of 4 KiB takes 33.5 ms; many of less take 22.7.
TEST(LargeSums, AreCutIntoAsManyStretchesAsThePriceSays) {
  const MeshRef on = mesh("x:64,y:32,z:32");
  const RunMachine machine = on_run({{{"pod", 64, 25e9, 1e-5}, {"node", 32, 50e9, 5e-6}, {"device", 32, 300e9, 1e-6}}});
  const Plan made = planned(type("f32[67108864]{+x,y,z}", on), type("f32[67108864]", on), {}, machine);
  EXPECT_LT(made.seconds, 22.8e-3);
  EXPECT_LT(made.seconds, 1.08 * made.lower_bound_seconds);
  EXPECT_TRUE(made.verified);
}

// Of any sum of any size no other number of stretches takes a hundredth less.
TEST(LargeSums, NoOtherNumberOfStretchesIsFaster) {
  const RunMachine machine = on_run({{{"pod", 8, 25e9, 1e-5}, {"node", 16, 50e9, 5e-6}, {"device", 8, 300e9, 1e-6}}});
  const MeshRef on = mesh("x:8,y:16,z:8");
  for (std::int64_t elements = 1; elements < (std::int64_t{1} << 31); elements *= 7) {
    const ArrayType from = type("f32[" + std::to_string(elements) + "]{+x,y,z}", on);
    const Plan hand = *plan_by_hand(from, all_reduce_step(from.layout().pending()), machine);
    const ReduceProgram* program = program_of(hand.steps[0].collective);
    if (program == nullptr) continue;
    for (const std::int64_t stretches : kStretches) {
      if (elements / on->devices() < 2 * stretches) break;
      ReduceProgram other = *program;
      other.stretches = stretches;
      const Collective step{hand.steps[0].collective.effect, std::make_shared<const ReduceProgram>(other)};
      EXPECT_GE(plan_of_steps(from, {step}, machine)->seconds * 1.0101, hand.seconds)
          << elements << " in " << stretches;
    }
  }
}

}  // namespace
}  // namespace tessera::synth::test
