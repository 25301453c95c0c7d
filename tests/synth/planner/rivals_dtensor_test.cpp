// DTensor's greedy planner as a rival.
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"
#include "tests/synth/uneven_changes.hpp"

namespace tessera::synth::test {
namespace {

using bench::Meshes;
using bench::Problem;

PlanOptions dtensor_planner() {
  PlanOptions options;
  options.planner = Planner::dtensor;
  return options;
}

std::string dtensor_steps(std::string_view on, std::string_view from, std::string_view to) {
  const MeshRef shared = mesh(on);
  const Plan made = planned(type(from, shared), type(to, shared), dtensor_planner());
  expect_moves_data(made);
  std::string text;
  for (const PlanStep& step : made.steps) {
    text.append(text.empty() ? "" : ", ").append(name(step.collective)).append(" ");
    text.append(detail(step.collective, *shared));
  }
  return text;
}

std::string dtensor_failure(std::string_view on, std::string_view from, std::string_view to) {
  const MeshRef shared = mesh(on);
  return first_message(plan(type(from, shared), type(to, shared), Machine{}, dtensor_planner()));
}

TEST(Dtensor, TakesOneCollectiveForEachAxisThatMoves) {
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4@x,4@y]", "i32[4@x,4]"), "all_gather y: dim 1");
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4@x,4]", "i32[4@x,4@y]"), "slice y: dim 1");
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4@x,4,4]", "i32[4,4@x,4]"), "all_to_all x: dim 0 -> dim 1");
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4@(x,y)]", "i32[4]"), "all_gather y: dim 0, all_gather x: dim 0");
}

TEST(Dtensor, ReplicatesWhatLiesUnderAnAxisThatLeaves) {
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4@(x,y)]", "i32[4@y]"),
            "all_gather y: dim 0, all_gather x: dim 0, slice y: dim 0");
}

TEST(Dtensor, ReplicatesWhatWouldLieUnderAnAxisThatIsYetToCome) {
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4@x,4@y]", "i32[4@y,4@x]"),
            "all_gather y: dim 1, all_to_all x: dim 0 -> dim 1, slice y: dim 0");
}

TEST(Dtensor, GoesOutwardsFirstOnlyIfTheSourceIsSplit) {
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4,4]{+x,y}", "i32[4@x,4@y]"),
            "reduce_scatter x: dim 0, reduce_scatter y: dim 1");
  EXPECT_EQ(dtensor_steps("x:2,y:2,z:2", "i32[4@z,4]{+x,y}", "i32[4,4@x]"),
            "all_gather z: dim 0, all_reduce y, reduce_scatter x: dim 1");
}

TEST(Dtensor, KeepsAValueOnOneReplicaForAPartialTarget) {
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4@x]", "i32[4@x]{+y}"), "keep y");
  EXPECT_EQ(dtensor_steps("x:2,y:2", "i32[4]{+x}", "i32[4]{+y}"), "all_reduce x, keep y");
}

TEST(Dtensor, CannotSayWhatHasNoPlacement) {
  EXPECT_EQ(dtensor_failure("x:2,y:2", "f32[4@(y,x)]", "f32[4]"),
            "the planner `dtensor` cannot do this: a dimension's axes are not in mesh order");
  EXPECT_EQ(dtensor_failure("x:2,y:2", "f32[4]", "f32[4@(y,x)]"),
            "the planner `dtensor` cannot do this: a dimension's axes are not in mesh order");
  EXPECT_EQ(dtensor_failure("x:4", "f32[4@x:(1)2]", "f32[4]"),
            "the planner `dtensor` cannot do this: only a part of a mesh axis is used");
}

TEST(Dtensor, HasNoCollectiveToAPartialSumFromASplit) {
  EXPECT_EQ(dtensor_failure("x:2", "f32[4@x]", "f32[4]{+x}"),
            "the planner `dtensor` cannot do this: no collective makes a partial sum of what is split");
  EXPECT_EQ(dtensor_failure("x:2", "f32[4]{max x}", "f32[4]{+x}"),
            "the planner `dtensor` cannot do this: no collective makes another reduction of a partial one");
}

bool has_placements(const Layout& layout) {
  return std::all_of(layout.splits().begin(), layout.splits().end(),
                     [](const AxisList& split) { return std::is_sorted(split.begin(), split.end()); });
}

// Verified by plan itself.
void expect_dtensor_right(const ArrayType& from, const ArrayType& to) {
  const auto made = plan(from, to, Machine{}, dtensor_planner());
  const bool can = has_placements(from.layout()) && has_placements(to.layout());
  ASSERT_EQ(made.ok(), can) << print(from) << " -> " << print(to) << ": " << first_message(made);
  if (!can) return;
  EXPECT_EQ(made->steps.empty(), same_type(from, to));
  if (elements(from.shape()) <= 4096) expect_moves_data(*made);
}

TEST(DtensorChains, OfRankTwoOnTwoByTwoByTwo) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const std::vector<Layout> layouts = all_layouts(*on, 2);
  for (const Shape& shape : {Shape{8, 8}, Shape{7, 3}}) {
    for (const Layout& from : layouts) {
      for (const Layout& to : layouts) {
        expect_dtensor_right(*ArrayType::make(ElementType::i32, shape, on, from),
                             *ArrayType::make(ElementType::i32, shape, on, to));
      }
    }
  }
}

TEST(DtensorChains, OnManyMeshes) {
  for (const Meshes meshes : {Meshes::powers_of_two, Meshes::others}) {
    std::uint64_t number = 0;
    for (const Problem& change : bench::problems(meshes, bench::Extents::even, 300, 19)) {
      const Problem uneven = with_uneven_extents(change, number++);
      expect_dtensor_right(change.from, change.to);
      expect_dtensor_right(uneven.from, uneven.to);
    }
  }
}

TEST(DtensorChains, WithPendingSums) {
  const MeshRef on = mesh("x:2,y:3");
  const std::vector<Layout> layouts = all_pending_layouts(*on, 2, ReduceOp::sum);
  for (const Layout& from : layouts) {
    for (const Layout& to : layouts) {
      const ArrayType source = *ArrayType::make(ElementType::i32, {4, 7}, on, from);
      const auto made = plan(source, *source.with_layout(to), Machine{}, dtensor_planner());
      if (made.ok()) expect_moves_data(*made);
      EXPECT_TRUE(made.ok() || first_error(made) == "unsupported") << first_message(made);
    }
  }
}

}  // namespace
}  // namespace tessera::synth::test
