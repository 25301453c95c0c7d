// Steps and the layouts they give, and why they may not be taken.
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

class CollectiveTest : public ::testing::Test {
 protected:
  Collective step(CollectiveKind kind, AxisList axes, std::size_t from = 0, std::size_t to = 0) const {
    Collective made;
    made.kind = kind;
    made.axes = std::move(axes);
    made.from = from;
    made.to = to;
    return made;
  }
  std::string after(const Collective& taken, std::string_view before) const {
    const auto result = apply(taken, type(before, on_));
    return result.ok() ? print(*result, Spacing::tight) : first_message(result);
  }

  MeshRef on_ = mesh("x:4,y:2,z:2");
  AxisPart x_ = whole_axis(*on_, 0);
  AxisPart y_ = whole_axis(*on_, 1);
  AxisPart z_ = whole_axis(*on_, 2);
};

TEST_F(CollectiveTest, NamesAreATable) {
  EXPECT_EQ(name(CollectiveKind::all_to_all), "all_to_all");
  EXPECT_EQ(mpi_name(CollectiveKind::exchange), "MPI_Alltoallw");
  EXPECT_EQ(collective_by_name("reduce_scatter"), CollectiveKind::reduce_scatter);
  EXPECT_EQ(collective_by_name("scatter"), std::nullopt);
}

TEST_F(CollectiveTest, ChangeTheLayoutAsSaid) {
  EXPECT_EQ(after(step(CollectiveKind::slice, {x_}, 0, 1), "f32[8@y,8]"), "f32[8@y,8@x]");
  EXPECT_EQ(after(step(CollectiveKind::slice, {z_}, 0, 0), "f32[8@y,8]"), "f32[8@(y,z),8]");
  EXPECT_EQ(after(step(CollectiveKind::all_gather, {z_}, 0), "f32[8@(y,z),8]"), "f32[8@y,8]");
  EXPECT_EQ(after(step(CollectiveKind::all_to_all, {z_}, 0, 1), "f32[8@(y,z),8@x]"), "f32[8@y,8@(x,z)]");
  EXPECT_EQ(after(step(CollectiveKind::reduce_scatter, {x_}, 0, 1), "f32[8,8@y]{+x,z}"), "f32[8,8@(y,x)]{+z}");
  EXPECT_EQ(after(step(CollectiveKind::all_reduce, {z_, x_}), "f32[8]{+x,z}"), "f32[8]");
  EXPECT_EQ(after(step(CollectiveKind::keep, {x_}), "f32[8@y]"), "f32[8@y]{+x}");
}

TEST_F(CollectiveTest, TakePartsOfAxes) {
  EXPECT_EQ(after(step(CollectiveKind::all_gather, {AxisPart{0, 2, 2}}, 0), "f32[8@x]"), "f32[8@x:(1)2]");
  EXPECT_EQ(after(step(CollectiveKind::slice, {AxisPart{0, 2, 2}}), "f32[8@x:(1)2]"), "f32[8@x]");
  EXPECT_EQ(after(step(CollectiveKind::all_reduce, {AxisPart{0, 1, 2}}), "f32[8]{+x}"), "f32[8]{+x:(2)2}");
  EXPECT_EQ(after(step(CollectiveKind::keep, {AxisPart{0, 1, 2}}), "f32[8]{+x:(2)2}"), "f32[8]{+x}");
}

TEST_F(CollectiveTest, SayWhyTheyMayNotBeTaken) {
  EXPECT_EQ(after(step(CollectiveKind::slice, {y_}, 0, 1), "f32[8@y,8]"),
            "`slice` is not possible here: the array uses `y` already");
  EXPECT_EQ(after(step(CollectiveKind::slice, {x_}, 0, 2), "f32[8@y,8]"),
            "`slice` is not possible here: the array has no dimension 2");
  EXPECT_EQ(after(step(CollectiveKind::all_gather, {y_}, 0), "f32[8@(y,z)]"),
            "`all_gather` is not possible here: `y` is not minor-most on dimension 0");
  EXPECT_EQ(after(step(CollectiveKind::all_to_all, {y_}, 0, 0), "f32[8@y]"),
            "`all_to_all` is not possible here: it leads back to the dimension it comes from");
  EXPECT_EQ(after(step(CollectiveKind::reduce_scatter, {y_}), "f32[8]{+x}"),
            "`reduce_scatter` is not possible here: the array is not pending over `y`");
  EXPECT_EQ(after(step(CollectiveKind::all_reduce, {}), "f32[8]{+x}"),
            "`all_reduce` is not possible here: it names no axis");
  Collective keep = step(CollectiveKind::keep, {y_});
  keep.reduce = ReduceOp::max;
  EXPECT_EQ(after(keep, "f32[8]{+x}"), "`keep` is not possible here: another reduction is pending already");
}

TEST_F(CollectiveTest, WithTargetsKeepTheArrayAndThePendingSet) {
  Collective move = step(CollectiveKind::permute, {});
  EXPECT_EQ(after(move, "f32[8@y,8]"), "`permute` is not possible here: it has no target");
  move.target = type("f32[8@z,8]", on_);
  EXPECT_EQ(after(move, "f32[8@y,8]"), "f32[8@z,8]");
  EXPECT_EQ(after(move, "f32[8@x,8]"), "`permute` is not possible here: its target cuts dimension 0 into other tiles");
  move.kind = CollectiveKind::exchange;
  EXPECT_EQ(after(move, "f32[8@x,8]"), "f32[8@z,8]");
  EXPECT_EQ(after(move, "f32[8@x,8]{+y}"), "`exchange` is not possible here: its target has another pending set");
  EXPECT_EQ(after(move, "f32[8@x,9]"), "`exchange` is not possible here: its target has other extents");
  EXPECT_EQ(after(move, "i32[8@x,8]"), "`exchange` is not possible here: its target has another element type");
}

TEST_F(CollectiveTest, OnlyAnExchangeOrARelayChangesTheMesh) {
  Collective move = step(CollectiveKind::exchange, {});
  move.target = type("f32[8@a,8]", "a:16");
  EXPECT_EQ(after(move, "f32[8@x,8]"), "f32[8@a,8]");
  move.kind = CollectiveKind::permute;
  EXPECT_EQ(after(move, "f32[8@x,8]"), "`permute` is not possible here: its target is on another mesh");
  move.kind = CollectiveKind::exchange;
  move.target = type("f32[8@a,8]", "a:4 on 14:18");
  EXPECT_EQ(after(move, "f32[8@x,8]"), "f32[8@a,8]");
  move.kind = CollectiveKind::relay;
  move.relay = std::make_shared<const RelayRecipe>();
  EXPECT_EQ(after(move, "f32[8@x,8]"), "f32[8@a,8]");
}

TEST_F(CollectiveTest, DetailsAreTheContracts) {
  EXPECT_EQ(detail(step(CollectiveKind::all_to_all, {x_}, 2, 1), *on_), "x: dim 2 -> dim 1");
  EXPECT_EQ(detail(step(CollectiveKind::slice, {x_, y_}, 0, 1), *on_), "(x,y): dim 1");
  EXPECT_EQ(detail(step(CollectiveKind::all_gather, {x_}, 1, 0), *on_), "x: dim 1");
  EXPECT_EQ(detail(step(CollectiveKind::reduce_scatter, {x_}, 0, 2), *on_), "x: dim 2");
  EXPECT_EQ(detail(step(CollectiveKind::all_reduce, {x_, y_}), *on_), "(x,y)");
  EXPECT_EQ(detail(step(CollectiveKind::keep, {AxisPart{0, 2, 2}}), *on_), "x:(2)2");
  EXPECT_EQ(detail(step(CollectiveKind::exchange, {}), *on_), "");
}

}  // namespace
}  // namespace tessera::synth::test
