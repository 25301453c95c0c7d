// Every change of layout in a small scope, where there are many: those of rank three, of even extents and of uneven
// ones.
#include "tests/synth/sound_changes.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

void expect_all_of_rank_three(const MeshRef& on, const Shape& shape) {
  const auto layouts = all_layouts(*on, 3);
  ASSERT_EQ(layouts.size(), 106U);
  expect_all_pairs_sound(types_of(on, shape, layouts), 1);
}

TEST(EveryChangeOfRankThree, OnTwoByTwoByTwo) { expect_all_of_rank_three(mesh("x:2,y:2,z:2"), {8, 8, 8}); }

TEST(EveryChangeOfRankThree, OfUnevenExtentsOnTwoByTwoByTwo) {
  expect_all_of_rank_three(mesh("x:2,y:2,z:2"), {7, 3, 9});
}

TEST(EveryChangeOfRankThree, OnTwoByThreeByTwo) { expect_all_of_rank_three(mesh("x:2,y:3,z:2"), {12, 12, 12}); }

TEST(EveryChangeOfRankThree, OfUnevenExtentsOnTwoByThreeByTwo) {
  expect_all_of_rank_three(mesh("x:2,y:3,z:2"), {7, 5, 13});
}

TEST(EveryChangeOfRankThree, WithPendingSums) {
  const MeshRef on = mesh("x:2,y:2");
  expect_all_pairs_sound(types_of(on, {3, 4, 5}, all_pending_layouts(*on, 3, ReduceOp::sum)), 1);
}

TEST(EveryChangeByWeights, OfRankTwoOnTwoByTwoByTwo) {
  const MeshRef on = mesh("x:2 work(3,1),y:2 work(1,5),z:2 work(2,1)");
  const auto layouts = all_layouts(*on, 2);
  ASSERT_EQ(layouts.size(), 277U);
  expect_all_pairs_sound(types_of(on, {9, 7}, layouts), 1);
}

TEST(EveryChangeByWeights, OfRankThreeOnTwoByThree) {
  const MeshRef on = mesh("x:2 work(3,1),y:3 work(1,2,2)");
  expect_all_pairs_sound(types_of(on, {7, 3, 9}, all_layouts(*on, 3)), 1);
}

TEST(EveryChangeByWeights, WithPendingSums) {
  const MeshRef on = mesh("x:2 work(3,1),y:3 work(1,2,2)");
  expect_all_pairs_sound(types_of(on, {4, 7}, all_pending_layouts(*on, 2, ReduceOp::sum)), 1);
  expect_all_pairs_sound(types_of(on, {5, 8}, all_pending_layouts(*on, 2, ReduceOp::max)), 1);
}

}  // namespace
}  // namespace tessera::synth::test
