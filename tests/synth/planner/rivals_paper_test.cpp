// What the original paper's normal form does with a change of layout. Its examples write axes minor first; here, as
// everywhere, they are major first.
#include "synth/planner/rivals/rivals.hpp"
#include "tests/synth/planner/rivals_support.hpp"

namespace tessera::synth::test {
namespace {

std::string paper_steps(std::string_view on, std::string_view from, std::string_view to) {
  return steps_in_short(Planner::paper, on, from, to);
}

// On x:2,y:3 the counts are co-prime, and no array is larger than the larger end.
TEST(Paper, WorkedExampleOfCoprimeCounts) {
  EXPECT_EQ(paper_steps("x:2,y:3", "f32[6@x]", "f32[6@y]"),
            "slice y: dim 0 | permute f32[6@(y,x)] | all_gather x: dim 0");
  const MeshRef on = mesh("x:2,y:3");
  PlanOptions options;
  options.planner = Planner::paper;
  const Plan made = planned(type("f32[6@x]", on), type("f32[6@y]", on), options);
  EXPECT_EQ(made.local_bytes_max, 3 * 4);
}

TEST(Paper, SinglePermuteOfTwoAxesOfOneDimension) {
  EXPECT_EQ(paper_steps("X:4,Y:4,Z:16", "f32[512@(Y,X),128]", "f32[512@(X,Y),128]"), "permute f32[512@(X,Y),128]");
}

TEST(Paper, SinglePermuteOfTwoDimensions) {
  EXPECT_EQ(paper_steps("X:4,Y:4,Z:16", "f32[512@Y,128@X]", "f32[512@X,128@Y]"), "permute f32[512@X,128@Y]");
}

TEST(Paper, SinglePermuteToAnAxisThatWasUnused) {
  EXPECT_EQ(paper_steps("X:4,Y:4,Z:16", "f32[512@(Y,X),128]", "f32[512@Z,128]"), "permute f32[512@Z,128]");
}

TEST(Paper, HasNothingToDoBetweenEqualLayouts) {
  EXPECT_EQ(paper_steps("x:4,y:2", "f32[8@x,8@y]", "f32[8@x,8@y]"), "");
}

TEST(Paper, MergesThePrimesOfAnAxis) {
  EXPECT_EQ(paper_steps("x:12", "f32[12]", "f32[12@x]"), "slice x: dim 0");
  EXPECT_EQ(paper_steps("x:12", "f32[12@x]", "f32[12]"), "all_gather x: dim 0");
  EXPECT_EQ(paper_steps("x:12", "f32[12@x,12]", "f32[12,12@x]"), "all_to_all x: dim 0 -> dim 1");
  EXPECT_EQ(paper_steps("x:12", "f32[12@x,12]", "f32[12@x:(1)3,12@x:(3)4]"), "all_to_all x:(3)4: dim 0 -> dim 1");
}

TEST(Paper, TakesOneStepForEachDimension) {
  EXPECT_EQ(paper_steps("x:2,y:3", "f32[6,6]", "f32[6@x,6@y]"), "slice x: dim 0 | slice y: dim 1");
  EXPECT_EQ(paper_steps("x:2,y:3", "f32[6@x,6@y]", "f32[6,6]"), "all_gather x: dim 0 | all_gather y: dim 1");
}

TEST(Paper, SlicesBeforeItGathers) {
  EXPECT_EQ(paper_steps("x:4,y:3", "f32[12@x,12]", "f32[12,12@y]"), "slice y: dim 1 | all_gather x: dim 0");
}

TEST(Paper, ReplacesAnEqualAxisByAPermute) {
  EXPECT_EQ(paper_steps("x:2,y:2", "f32[8@x]", "f32[8@y]"), "permute f32[8@y]");
  EXPECT_EQ(paper_steps("x:4,y:2", "f32[8@x]", "f32[8@y]"), "permute f32[8@(y,x:(2)2)] | all_gather x:(2)2: dim 0");
}

// Under strictly named axes one permute is not enough: y has to be minor-most to leave, and stands first where it goes.
TEST(Paper, TakesTwoPermutesWhereNamesForceThem) {
  EXPECT_EQ(paper_steps("x:2,y:3,z:2", "f32[6@(y,x),6@z]", "f32[6@x,6@(y,z)]"),
            "permute f32[6@(x,y),6@z] | all_to_all y: dim 0 -> dim 1 | permute f32[6@x,6@(y,z)]");
}

TEST(Paper, OrdersItsMovesToNeedNoPermute) {
  EXPECT_EQ(paper_steps("x:4,y:4,z:4", "f32[64@(y,x),64@z,64,64]", "f32[64,64,64@(z,y),64@x]"),
            "all_to_all x: dim 0 -> dim 3 | all_to_all z: dim 1 -> dim 2 | all_to_all y: dim 0 -> dim 2");
}

TEST(Paper, SlicesUnderAnotherNameWhatIsUsedElsewhere) {
  EXPECT_EQ(paper_steps("x:2,y:2", "f32[8@x,8]", "f32[8@y,8@x]"), "slice y: dim 1 | permute f32[8@y,8@x]");
}

TEST(Paper, KeepsPendingSumsThatStay) {
  EXPECT_EQ(paper_steps("x:2,y:2,z:2", "f32[8@x,8]{+z}", "f32[8,8@x]{+z}"), "all_to_all x: dim 0 -> dim 1");
}

TEST(Paper, WorksOnShardCountsWhereExtentsAreUneven) {
  EXPECT_EQ(paper_steps("x:2,y:3", "f32[7@x,5]", "f32[7,5@x]"), "all_to_all x: dim 0 -> dim 1");
}

TEST(Paper, CannotDoWhatItHasNoStepFor) {
  EXPECT_EQ(paper_steps("x:2", "f32[8]{+x}", "f32[8]"), "the planner `paper` cannot do this: the pending sums differ");
  EXPECT_EQ(paper_steps("x:6", "f32[12@x:(1)2,12]", "f32[12,12@x:(1)3]"),
            "the planner `paper` cannot do this: the layouts cut an axis in ways that cannot co-exist");
  EXPECT_THAT(first_message(paper_chain(type("f32[8@x]", "x:4"), type("f32[8@y]", "y:4"))),
              ::testing::HasSubstr("the meshes differ"));
}

}  // namespace
}  // namespace tessera::synth::test
