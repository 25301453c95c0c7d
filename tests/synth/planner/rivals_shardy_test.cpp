// Shardy's way with a change of layout, each of its rules by name.
#include "synth/planner/rivals/rivals.hpp"
#include "tests/synth/planner/rivals_support.hpp"

namespace tessera::synth::test {
namespace {

std::string steps(std::string_view on, std::string_view from, std::string_view to) {
  return steps_in_short(Planner::shardy, on, from, to);
}

TEST(Shardy, HasNothingToDoBetweenEqualLayouts) { EXPECT_EQ(steps("x:4,y:2", "f32[8@x,8@y]", "f32[8@x,8@y]"), ""); }

TEST(Shardy, SlicesAllDimensionsAtOnce) {
  EXPECT_EQ(steps("x:2,y:3,z:4", "f32[24,24]", "f32[24@y,24@(z,x)]"), "slice y: dim 0; (z,x): dim 1");
}

TEST(Shardy, GathersAllDimensionsAtOnce) {
  EXPECT_EQ(steps("x:2,y:3,z:4", "f32[24@(y,x),24@z]", "f32[24@y,24]"), "all_gather x: dim 0; z: dim 1");
}

TEST(Shardy, SlicesBeforeItGathers) {
  EXPECT_EQ(steps("x:4,y:3", "f32[12@x,12]", "f32[12,12@y]"), "slice y: dim 1 | all_gather x: dim 0");
}

TEST(Shardy, MovesTheLongestSuffixOfOneDestination) {
  EXPECT_EQ(steps("x:2,y:3,z:4", "f32[24@(x,y,z),24,24]", "f32[24,24@x,24@(y,z)]"),
            "all_to_all (y,z): dim 0 -> dim 2 | all_to_all x: dim 0 -> dim 1");
}

// Two sources of one destination: first the one whose pieces come first there.
TEST(Shardy, MovesFirstWhatEndsInPlace) {
  EXPECT_EQ(steps("x:2,y:3", "f32[6@x,6@y,6]", "f32[6,6,6@(y,x)]"),
            "all_to_all y: dim 1 -> dim 2 | all_to_all x: dim 0 -> dim 2");
}

TEST(Shardy, SlicesRidersOnTheirSource) {
  EXPECT_EQ(steps("x:2,y:3,z:5", "f32[900,900@x]", "f32[900@(x,y,z),900]"),
            "slice (y,z): dim 1 | all_to_all (x,y,z): dim 1 -> dim 0");
}

TEST(Shardy, SlicesNoRidersThatTheExtentDoesNotDivide) {
  EXPECT_EQ(steps("x:2,y:2", "f32[8,6@x]", "f32[8@(x,y),6]"),
            "slice y: dim 0 | permute f32[8@x,6@y] | all_to_all y: dim 1 -> dim 0");
}

TEST(Shardy, SlicesNoRidersForADimensionThatHoldsOthers) {
  EXPECT_EQ(steps("x:2,y:2,z:2", "f32[8@z,8@x]", "f32[8@(x,y,z),8]"),
            "slice y: dim 0 | permute f32[8@(x,y),8@z] | all_to_all z: dim 1 -> dim 0");
}

TEST(Shardy, CutsAnAxisThatExceedsTheCapacity) {
  EXPECT_EQ(steps("x:4,y:2", "f32[16@y]", "f32[16@x]"), "slice x:(1)2: dim 0 | permute f32[16@x]");
  EXPECT_EQ(steps("x:4,y:2", "f32[16@x]", "f32[16@y]"), "permute f32[16@(y,x:(2)2)] | all_gather x:(2)2: dim 0");
}

TEST(Shardy, SlicesWhatIsLeftOverElsewhere) {
  EXPECT_EQ(steps("x:2,y:2", "f32[8@x,8]", "f32[8@y,8@x]"), "slice y: dim 1 | permute f32[8@y,8@x]");
}

TEST(Shardy, SwapsAxesInOnePermute) {
  EXPECT_EQ(steps("x:4,y:4", "f32[16@x,16@y]", "f32[16@y,16@x]"), "permute f32[16@y,16@x]");
  EXPECT_EQ(steps("x:4,y:2", "f32[16@(x,y)]", "f32[16@(y,x)]"), "permute f32[16@(y,x)]");
}

// `[x, y] -> [y, x]` on x:4,y:2 is permuted to `[(y, x:(2)2), x:(1)2]`, and x:(2)2 follows by an all_to_all.
TEST(Shardy, SwapsAxesOfUnequalSizes) {
  EXPECT_EQ(steps("x:4,y:2", "f32[16@x,16@y]", "f32[16@y,16@x]"),
            "permute f32[16@(y,x:(2)2),16@x:(1)2] | all_to_all x:(2)2: dim 0 -> dim 1");
}

TEST(Shardy, TradesWhatIsGatheredForWhatIsWanted) {
  EXPECT_EQ(steps("x:6,y:10", "f32[60@x]", "f32[60@y]"),
            "slice y:(1)5: dim 0 | permute f32[60@(y,x:(1)3)] | all_gather x:(1)3: dim 0");
}

TEST(Shardy, PutsWhatIsGatheredUnderWhatLeaves) {
  EXPECT_EQ(steps("x:2,y:3", "f32[6@(x,y),6]", "f32[6,6@x]"),
            "permute f32[6@(y,x),6] | all_to_all x: dim 0 -> dim 1 | all_gather y: dim 0");
}

TEST(Shardy, BringsTogetherWhatHasOneDestination) {
  EXPECT_EQ(steps("x:2,y:3,z:2", "f32[12@(x,y,z),12]", "f32[12@y,12@(x,z)]"),
            "permute f32[12@(y,x,z),12] | all_to_all (x,z): dim 0 -> dim 1");
}

TEST(Shardy, KeepsPendingSumsThatStay) {
  EXPECT_EQ(steps("x:2,y:2,z:2", "f32[8@x,8]{+z}", "f32[8,8@x]{+z}"), "all_to_all x: dim 0 -> dim 1");
  EXPECT_EQ(steps("x:2,y:2,z:2", "f32[8@y]{max z}", "f32[8@x]{max z}"), "permute f32[8@x]{max z}");
}

TEST(Shardy, WorksOnShardCountsWhereExtentsAreUneven) {
  EXPECT_EQ(steps("x:2,y:3", "f32[7@x,5]", "f32[7,5@x]"), "all_to_all x: dim 0 -> dim 1");
}

// Neither slice nor permute finds sizes of which one divides the other; the first round then gathers, and no array of
// the ends is as large as the one in the middle.
TEST(Shardy, ExceedsTheBoundWhereNoSizesDivide) {
  const MeshRef on = mesh("a:2,b:3,c:3,d:2");
  PlanOptions options;
  options.planner = Planner::shardy;
  const Plan made = planned(type("f32[36@(a,b)]", on), type("f32[36@(c,d)]", on), options);
  EXPECT_EQ(steps_of(made), "all_gather, slice");
  EXPECT_EQ(made.bound_bytes, 6 * 4);
  EXPECT_EQ(made.local_bytes_max, 36 * 4);
}

// ---- What it cannot do ----

TEST(Shardy, IsNotDoneAfterTwoRounds) {
  EXPECT_EQ(steps("a:2,b:5,c:3", "f32[900@c,900,900@a]", "f32[900@(a,b),900,900@c]"),
            "the planner `shardy` cannot do this: it is not done after its two rounds");
}

TEST(Shardy, PermutesToTilesOfAnotherSize) {
  EXPECT_EQ(steps("a:6,b:4,c:2", "f32[2304,2304@a]", "f32[2304@(a,c),2304@b]"),
            "the planner `shardy` cannot do this: its permute would leave tiles of another size");
}

TEST(Shardy, ResolvesNoPendingSums) {
  EXPECT_EQ(steps("x:2", "f32[8]{+x}", "f32[8]"), "the planner `shardy` cannot do this: the pending sums differ");
  EXPECT_EQ(steps("x:2", "f32[8]{+x}", "f32[8]{max x}"),
            "the planner `shardy` cannot do this: the pending sums differ");
}

TEST(Shardy, KnowsNoCutsThatCannotCoexist) {
  EXPECT_EQ(steps("x:6", "f32[12@x:(1)2,12]", "f32[12,12@x:(1)3]"),
            "the planner `shardy` cannot do this: the layouts cut an axis in ways that cannot co-exist");
}

TEST(Shardy, StaysOnItsMesh) {
  EXPECT_THAT(first_message(shardy_chain(type("f32[8@x]", "x:4"), type("f32[8@y]", "y:4"))),
              ::testing::HasSubstr("the meshes differ"));
}

}  // namespace
}  // namespace tessera::synth::test
