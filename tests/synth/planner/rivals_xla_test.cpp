// XLA's partitioner as a rival: what each of its patterns does, what people have met, and that every chain is right.
#include "synth/layout/axis_parts.hpp"
#include "synth/planner/rivals/xla.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/read_json.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"
#include "tests/synth/uneven_changes.hpp"

namespace tessera::synth::test {
namespace {

using bench::Meshes;
using bench::Problem;

using xla::Flow;
using xla::FlowChain;
using xla::Tiling;

PlanOptions xla_planner() {
  PlanOptions options;
  options.planner = Planner::xla;
  return options;
}

FlowChain flow(std::string_view on, std::string_view from, std::string_view to, Flow flow = Flow::nov_2025) {
  const MeshRef shared = mesh(on);
  auto found = xla::flow_chain(type(from, shared), type(to, shared), flow);
  EXPECT_TRUE(found.ok()) << first_message(found);
  return found.ok() ? *found : FlowChain{};
}

// `all_to_all y: dim 2 -> dim 0; x: dim 1 -> dim 3, permute`
std::string written(const Chain& chain, const Mesh& on) {
  std::string text;
  for (const Collective& step : chain) {
    const std::string moved = detail(step, on);
    text.append(text.empty() ? "" : ", ").append(name(step)).append(moved.empty() ? "" : " ").append(moved);
  }
  return text;
}
std::string xla_steps(std::string_view on, std::string_view from, std::string_view to, Flow which = Flow::nov_2025) {
  return written(flow(on, from, to, which).chain, *mesh(on));
}

Plan xla_planned(std::string_view on, std::string_view from, std::string_view to) {
  const MeshRef shared = mesh(on);
  Plan made = test::planned(type(from, shared), type(to, shared), xla_planner());
  expect_moves_data(made);
  return made;
}

std::string xla_failure(std::string_view on, std::string_view from, std::string_view to) {
  const MeshRef shared = mesh(on);
  return first_message(plan(type(from, shared), type(to, shared), Machine{}, xla_planner()));
}

// ---- Each pattern ----

TEST(Xla, EqualCountsInAnotherOrderAreOnePermute) {
  EXPECT_EQ(xla_steps("x:2,y:2", "f32[8@x,8@y]", "f32[8@y,8@x]"), "permute");
  EXPECT_EQ(xla_steps("x:2,y:3", "f32[12@(x,y)]", "f32[12@(y,x)]"), "permute");
}

TEST(Xla, CountsThatChangePlacesAreAnAllToAll) {
  EXPECT_EQ(xla_steps("x:4,y:2", "f32[8@x,8,8@y]", "f32[8,8@x,8@y]"), "all_to_all x: dim 0 -> dim 1");
}

TEST(Xla, MovesBetweenDifferentDimensionsShareALaunchSince2025) {
  EXPECT_EQ(xla_steps("x:4,y:2", "f32[32,32@x,32@y,32]", "f32[32@y,32,32,32@x]"),
            "all_to_all y: dim 2 -> dim 0; x: dim 1 -> dim 3");
  EXPECT_EQ(xla_steps("x:4,y:2", "f32[32,32@x,32@y,32]", "f32[32@y,32,32,32@x]", Flow::dec_2021),
            "all_to_all x: dim 1 -> dim 3, all_to_all y: dim 2 -> dim 0");
  EXPECT_EQ(xla_steps("x:4,y:2", "f32[32,32@x,32@y,31]", "f32[32@y,32,32,31@x]"),
            "all_to_all x: dim 1 -> dim 3, all_to_all y: dim 2 -> dim 0");
}

// Where numbers are no places, axes are still found, and every plan ends on the mesh that it began with.
TEST(Xla, AMeshMayBePlacedByAMatrix) {
  const MeshRef on = mesh("x:2,y:3,z:2 place [[1,1,2],[1,3,1],[1,1,2]]");
  const RunMachine machine = on_run({{{"a", 1, 1e6, 0}, {"b", 3, 8e6, 0}, {"c", 4, 64e6, 0}}});
  const std::vector<Layout> layouts = all_layouts(*on, 2);
  for (std::size_t i = 0; i < layouts.size(); i += 3) {
    for (std::size_t j = 0; j < layouts.size(); j += 5) {
      const auto made = [&](const Layout& layout) { return *ArrayType::make(ElementType::f32, {25, 9}, on, layout); };
      const Plan plan = planned(made(layouts[i]), made(layouts[j]), xla_planner(), machine);
      EXPECT_EQ(plan.to, made(layouts[j]));
      expect_moves_data(plan);
    }
  }
}

TEST(Xla, CopiesAreCutAway) {
  EXPECT_EQ(xla_steps("x:2,y:2", "f32[8@x,8]", "f32[8@x,8@y]"), "slice y: dim 1");
  EXPECT_EQ(xla_steps("x:2,y:2,z:2", "f32[8@x,8]", "f32[8@(x,z),8@y]"), "slice z: dim 0; y: dim 1");
}

TEST(Xla, CopiesAreDealtInOrderAndPermutedAfterwards) {
  EXPECT_EQ(xla_steps("x:2,y:2", "f32[8@x,8]", "f32[8@y,8@x]"), "slice y: dim 1, permute");
}

TEST(Xla, CutsBecomeCopiesFromTheLastDimensionOn) {
  EXPECT_EQ(xla_steps("x:2,y:2,z:2", "f32[8@(x,z),8@y]", "f32[8@x,8]"), "all_gather y: dim 1, all_gather z: dim 0");
  EXPECT_EQ(xla_steps("x:2,y:2,z:2", "f32[8@(z,x),8@y]", "f32[8@x,8]"),
            "permute, all_gather z: dim 1, all_gather y: dim 0");
}

TEST(Xla, CountsOneDimensionFurtherOnAreAGatherAndAnAllToAll) {
  EXPECT_EQ(xla_steps("x:2,y:3", "f32[6@x,6@y]", "f32[6,6@x]"), "all_gather y: dim 1, all_to_all x: dim 0 -> dim 1");
  EXPECT_EQ(xla_steps("x:2,y:3", "f32[6,6@x]", "f32[6@x,6@y]"), "all_to_all x: dim 1 -> dim 0, slice y: dim 1");
}

TEST(Xla, AReplicatedArrayIsSliced) {
  EXPECT_EQ(xla_steps("x:2,y:2", "f32[8,8]", "f32[8@y,8@x]"), "slice y: dim 0; x: dim 1");
}

TEST(Xla, AReplicatedTargetIsNoRematerialization) {
  const FlowChain gathers = flow("x:2,y:2", "f32[8@x,8@y]", "f32[8,8]");
  EXPECT_EQ(written(gathers.chain, *mesh("x:2,y:2")), "all_gather y: dim 1, all_gather x: dim 0");
  EXPECT_FALSE(gathers.full_rematerialization);
}

TEST(Xla, OneDimensionIsReplicatedForTheCopiesOfTheTarget) {
  EXPECT_EQ(xla_steps("x:2,y:4", "f32[8@x,8@y]", "f32[8@y,8]"), "all_gather x: dim 0, all_to_all y: dim 1 -> dim 0");
}

TEST(Xla, CopiesGoWhereTheTargetCutsAMultiple) {
  EXPECT_EQ(xla_steps("x:4,y:2", "f32[8@x,8]", "f32[8@y,8@x]"),
            "slice y: dim 1, all_to_all x:(2)2: dim 0 -> dim 1, permute");
}

TEST(Xla, DimensionsCutAlikeAreLeftAloneInGroups) {
  const FlowChain in_groups = flow("a:4,b:4,c:2", "f32[32@c,32@(b,a),32,32]", "f32[32@c,32,32@b,32@a]");
  EXPECT_EQ(written(in_groups.chain, *mesh("a:4,b:4,c:2")), "all_gather (b,a): dim 1, slice b: dim 2; a: dim 3");
  EXPECT_TRUE(in_groups.partial_rematerialization);
  EXPECT_FALSE(in_groups.full_rematerialization);
}

TEST(Xla, SumsThatStayPendingAreMovedByPosition) {
  EXPECT_EQ(steps_of(xla_planned("x:2,y:2,z:2", "i32[8@x,8]{+z}", "i32[8,8@x]{+z}")), "all_to_all");
  EXPECT_EQ(steps_of(xla_planned("x:2,z:2,y:2", "i32[8@x,8@y]{+z}", "i32[8@y,8@x]{+z}")), "permute");
}

TEST(Xla, SubAxesAreOrdersOfDevicesLikeAnyOther) {
  EXPECT_EQ(steps_of(xla_planned("x:8", "i32[8@x:(1)2,8@x:(2)4]", "i32[8@x:(1)2,8]")), "all_gather");
}

// ---- What it cannot do ----

TEST(Xla, DoesNotChangePendingSets) {
  EXPECT_EQ(xla_failure("x:2,y:2", "f32[8@x]{+y}", "f32[8@x]"),
            "the planner `xla` cannot do this: the pending sums differ");
  EXPECT_EQ(xla_failure("x:2,y:2", "f32[8@x]", "f32[8@x]{+y}"),
            "the planner `xla` cannot do this: the pending sums differ");
}

TEST(Xla, DoesNotMixThePositionsOfSums) {
  EXPECT_EQ(xla_failure("a:2,b:3,c:2", "f32[36,36@(b,a)]{+c}", "f32[36@b,36@a]{+c}"),
            "the planner `xla` cannot do this: no axes say which device holds what of its sums on the way");
}

// The 3 minor cuts of dimension 1's 6 move to dimension 0, where `b`, the major part, is 3.
TEST(Xla, MayPassAnOrderOfDevicesThatNoAxesHave) {
  const Plan made = xla_planned("a:2,b:3", "i32[6,6@(b,a)]", "i32[6@b,6@a]");
  EXPECT_EQ(steps_of(made), "exchange, exchange");
  EXPECT_FALSE(made.steps[0].after.mesh().is_row_major());
  EXPECT_EQ(tile(made.steps[0].after, 4), (Box{{0, 2}, {3, 6}}));
  const std::string text = print_json(made);
  EXPECT_NE(text.find(R"({"op": "exchange", "detail": "", "type": null, )"), std::string::npos) << text;
  EXPECT_EQ(first_error(read_json(text)), "bad-plan-text");
}

// ---- What people have met ----

TEST(XlaInTheField, Jax21562IsAFullRematerialization) {
  const std::string_view from = "f32[16@y,16,16@x]";
  const std::string_view to = "f32[16,16@(x,y),16]";
  EXPECT_TRUE(flow("x:4,y:2", from, to).full_rematerialization);
  const Plan made = xla_planned("x:4,y:2", from, to);
  EXPECT_EQ(steps_of(made), "all_gather, all_gather, slice");
  EXPECT_EQ(made.local_bytes_max, array_bytes(made.from));
}

TEST(XlaInTheField, Jax18591IsAFullRematerialization) {
  EXPECT_TRUE(flow("x:64,y:4", "f32[256@(x,y),256]", "f32[256,256@x]").full_rematerialization);
  EXPECT_TRUE(flow("x:64,y:4", "f32[256@(y,x),256]", "f32[256,256@x]").full_rematerialization);
}

TEST(XlaInTheField, Alpa701IsOneOnlyIn2021) {
  const std::string_view from = "f32[8@(x,y),8,8,8]";
  const std::string_view to = "f32[8@x,8,8,8@y]";
  EXPECT_TRUE(flow("x:2,y:2", from, to, Flow::dec_2021).full_rematerialization);
  EXPECT_FALSE(flow("x:2,y:2", from, to).full_rematerialization);
  EXPECT_EQ(xla_steps("x:2,y:2", from, to), "all_to_all y: dim 0 -> dim 3");
}

// Moves (1 -> 3), (0 -> 1), (2 -> 0): sorted by target, the last and the first are taken together, and the counts that
// the second is meant for are gone.
TEST(XlaInTheField, DependentMovesAreNotTakenTogether) {
  EXPECT_EQ(xla_steps("a:2,b:8,c:4", "f32[64@a,64@b,64@c,64]", "f32[64@c,64@a,64,64@b]"),
            "all_to_all b: dim 1 -> dim 3, all_to_all a: dim 0 -> dim 1, all_to_all c: dim 2 -> dim 0");
  EXPECT_EQ(xla_steps("a:4,b:8,c:2", "f32[64@a,64@b,64,64@c]", "f32[64,64@a,64@c,64@b]"),
            xla_steps("a:4,b:8,c:2", "f32[64@a,64@b,64,64@c]", "f32[64,64@a,64@c,64@b]", Flow::dec_2021));
}

// ---- Tilings ----

TEST(XlaTiling, PlacesAndDevicesSayTheSame) {
  const Tiling tiling{{2, 3}, 2, {0, 7, 1, 6, 2, 5, 3, 4, 8, 9, 10, 11}};
  EXPECT_EQ(xla::tiling_of_places(tiling.counts, xla::places_of(tiling), 12), tiling);
}

TEST(XlaTiling, MovedCutsAreTheMinorOnes) {
  const Tiling tiling{{4, 1}, 1, {0, 1, 2, 3}};
  EXPECT_EQ(xla::with_moved_cuts(tiling, 0, 1), (Tiling{{1, 4}, 1, {0, 1, 2, 3}}));
  const Tiling wider{{4, 2}, 1, {0, 1, 2, 3, 4, 5, 6, 7}};
  EXPECT_EQ(xla::with_moved_cuts(wider, 0, 1), (Tiling{{2, 4}, 1, {0, 2, 1, 3, 4, 6, 5, 7}}));
  EXPECT_EQ(xla::with_moved_cuts(wider, 1, 0), std::nullopt);
}

TEST(XlaTiling, GroupsKeepWhatTheyWereMadeOf) {
  const Tiling tiling{
      {2, 2, 3}, 2, {0, 12, 1, 13, 2, 14, 3, 15, 4, 16, 5, 17, 6, 18, 7, 19, 8, 20, 9, 21, 10, 22, 11, 23}};
  for (const std::vector<std::size_t>& dimensions :
       {std::vector<std::size_t>{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}}) {
    const xla::Grouped grouped = xla::grouped(tiling, dimensions);
    EXPECT_EQ(xla::ungrouped(grouped, grouped.inner), tiling);
    EXPECT_EQ(xla::aligned(grouped, grouped), grouped.inner);
  }
}

RC_GTEST_PROP(XlaTiling, AxesAreFoundFromPlaces, ()) {
  const MeshRef on = any_mesh(Weighted::never);
  const Layout layout = any_layout(*on, 3, false);
  for (const AxisList& split : layout.splits()) {
    const auto found = xla::axes_of_places(*on, positions(*on, split));
    RC_ASSERT(found.has_value());
    RC_ASSERT(*found == split);
  }
}

TEST(XlaTiling, NoAxesHaveAnyOldOrder) {
  EXPECT_EQ(xla::axes_of_places(*mesh("x:4"), {0, 1, 1, 0}), std::nullopt);
  EXPECT_EQ(xla::axes_of_places(*mesh("x:4"), {1, 0, 1, 0}), std::nullopt);
  EXPECT_EQ(xla::axes_of_places(*mesh("x:6"), {0, 0, 0, 0, 1, 1}), std::nullopt);
}

// ---- Every chain ----

// Verified by plan itself.
void expect_xla_right(const ArrayType& from, const ArrayType& to) {
  const auto made = plan(from, to, Machine{}, xla_planner());
  ASSERT_TRUE(made.ok()) << print(from) << " -> " << print(to) << ": " << first_message(made);
  EXPECT_EQ(made->steps.empty(), same_type(from, to));
  if (elements(from.shape()) <= 4096) expect_moves_data(*made);
}

TEST(XlaChains, OfRankTwoOnTwoByTwoByTwo) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const std::vector<Layout> layouts = all_layouts(*on, 2);
  ASSERT_EQ(layouts.size(), 49U);
  for (const Shape& shape : {Shape{8, 8}, Shape{7, 3}}) {
    for (const Layout& from : layouts) {
      for (const Layout& to : layouts) {
        expect_xla_right(*ArrayType::make(ElementType::i32, shape, on, from),
                         *ArrayType::make(ElementType::i32, shape, on, to));
      }
    }
  }
}

TEST(XlaChains, OnManyMeshes) {
  for (const Meshes meshes : {Meshes::powers_of_two, Meshes::others}) {
    std::uint64_t number = 0;
    for (const Problem& change : bench::problems(meshes, bench::Extents::even, 300, 17)) {
      const Problem uneven = with_uneven_extents(change, number++);
      expect_xla_right(change.from, change.to);
      expect_xla_right(uneven.from, uneven.to);
    }
  }
}

RC_GTEST_PROP(XlaChains, OfSubAxesAndPendingSums, ()) {
  const MeshRef on = any_mesh(Weighted::never);
  const Shape shape = any_shape(2, 8);
  const ArrayType from = any_type(on, shape, true);
  const ArrayType other = any_type(on, shape, false);
  const auto layout = Layout::make(*on, other.layout().splits(), from.layout().pending(), from.layout().reduce());
  RC_PRE(layout.ok());
  const auto made = plan(from, *from.with_layout(*layout), Machine{}, xla_planner());
  RC_ASSERT(made.ok() || first_error(made) == "unsupported");
}

}  // namespace
}  // namespace tessera::synth::test
