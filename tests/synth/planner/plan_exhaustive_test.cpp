// Every change of layout in a small scope: planned, verified (by plan itself), run on real data, within all bounds.
// What takes longer is in plan_exhaustive_slow_test.cpp.
#include <algorithm>
#include <tuple>

#include "tests/synth/sound_changes.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// Builds that are slow to run take a part of the pairs.
#ifdef NDEBUG
constexpr std::size_t kEvery = 1;
#else
constexpr std::size_t kEvery = 5;
#endif

TEST(EveryChange, OfRankTwoOnTwoByTwoByTwo) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const auto layouts = all_layouts(*on, 2);
  ASSERT_EQ(layouts.size(), 49U);
  expect_all_pairs_sound(types_of(on, {8, 8}, layouts), 1);
  expect_all_pairs_sound(types_of(on, {7, 5}, layouts), kEvery);
}

TEST(EveryChange, OfRankThreeOnTwoByTwoByTwo) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const auto layouts = all_layouts(*on, 3);
  ASSERT_EQ(layouts.size(), 106U);
  expect_all_pairs_sound(types_of(on, {3, 5, 2}, layouts), kEvery);
}

TEST(EveryChange, OfUnevenExtentsOnTwoByThreeByTwo) {
  const MeshRef on = mesh("x:2,y:3,z:2");
  expect_all_pairs_sound(types_of(on, {7, 13}, all_layouts(*on, 2)), kEvery);
}

TEST(EveryChange, OfTinyAndEmptyArrays) {
  const MeshRef on = mesh("x:2,y:3,z:2");
  expect_all_pairs_sound(types_of(on, {1, 3}, all_layouts(*on, 2)), kEvery);
  expect_all_pairs_sound(types_of(on, {0, 4}, all_layouts(*on, 2)), kEvery);
}

TEST(EveryChange, WithPendingSums) {
  const MeshRef on = mesh("x:2,y:3");
  expect_all_pairs_sound(types_of(on, {4, 7}, all_pending_layouts(*on, 2, ReduceOp::sum)), 1);
  expect_all_pairs_sound(types_of(on, {}, all_pending_layouts(*on, 0, ReduceOp::sum)), kEvery);
  const MeshRef three = mesh("x:2,y:2,z:2");
  expect_all_pairs_sound(types_of(three, {9}, all_pending_layouts(*three, 1, ReduceOp::sum)), kEvery);
}

TEST(EveryChange, BetweenReductions) {
  const MeshRef on = mesh("x:2,y:3");
  std::vector<Layout> layouts = all_pending_layouts(*on, 1, ReduceOp::max);
  const std::vector<Layout> sums = all_pending_layouts(*on, 1, ReduceOp::sum);
  layouts.insert(layouts.end(), sums.begin(), sums.end());
  expect_all_pairs_sound(types_of(on, {5}, layouts), kEvery);
}

// Each axis evenly and by weights, in every dimension.
TEST(EveryChange, WithANamedCutOnEachAxis) {
  const MeshRef on = mesh("x:2 work(3,1),y:3 work(1,2,2)");
  const auto layouts = all_layouts(*on, 2);
  ASSERT_EQ(layouts.size(), 33U);
  for (const Shape& shape : {Shape{8, 8}, Shape{7, 5}, Shape{1, 3}, Shape{0, 4}}) {
    expect_all_pairs_sound(types_of(on, shape, layouts), kEvery);
  }
  expect_all_pairs_sound(types_of(on, {4, 7}, all_pending_layouts(*on, 2, ReduceOp::sum)), 2 * kEvery);
  const MeshRef three = mesh("x:2 work(3,1),y:2 work(1,5),z:2 work(2,1)");
  expect_all_pairs_sound(types_of(three, {9, 7}, all_layouts(*three, 2)), 11 * kEvery);
}

// Too many for pairs of devices: figures and the verifier's device by device.
TEST(ManyDevices, ArePlannedExactly) {
  for (const auto& [on, from, to] : {std::tuple{"x:32,y:32", "f32[64@x,64@y]", "f32[64@y,64@x]"},
                                     std::tuple{"x:1024", "f32[1024@x,3000]", "f32[1024,3000@x]"},
                                     std::tuple{"x:256,y:256", "f32[131072@x,2]{+y}", "f32[131072@(x,y),2]"}}) {
    const MeshRef shared = mesh(on);
    const Plan made = planned(type(from, shared), type(to, shared));
    EXPECT_TRUE(made.verified);
    EXPECT_LE(made.local_bytes_max, made.bound_bytes);
    EXPECT_GE(made.received_bytes_total, made.lower_bound_bytes_total);
    EXPECT_EQ(made.steps.size(), 1U);
  }
}

}  // namespace
}  // namespace tessera::synth::test
