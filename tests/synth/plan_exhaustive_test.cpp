// Every change of layout in a small scope: planned, verified (by plan itself), run on real data, within all bounds.
#include <algorithm>

#include "synth/redistribute/chain.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// The simplest candidate: all that is pending scattered or reduced, one exchange, a keep.
Plan direct_plan(const ArrayType& from, const ArrayType& to) {
  const PendingChange change = pending_change(from, to);
  Chain chain;
  if (!change.resolve.empty()) chain.push_back(all_reduce_step(change.resolve));
  const ArrayType target = *unkept(to, change);
  const ArrayType resolved = *after_chain(chain, from);
  for (const Collective& step : direct_move(resolved, target, !change.keep.empty())) chain.push_back(step);
  if (!change.keep.empty()) chain.push_back(keep_step(change.keep, to.layout().reduce()));
  return *plan_of_steps(from, chain, Machine{});
}

std::int64_t launches(const Plan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep& s) { return is_launch(s.collective); });
}

// The plan's promises that hold for every change.
void expect_sound(const ArrayType& from, const ArrayType& to) {
  const auto made = plan(from, to, Machine{});
  ASSERT_TRUE(made.ok()) << print(from) << " -> " << print(to) << ": " << first_message(made);
  EXPECT_TRUE(made->verified);
  EXPECT_LE(made->local_bytes_max, made->bound_bytes) << print_text(*made);
  EXPECT_EQ(made->steps.empty(), same_type(from, to)) << print_text(*made);
  EXPECT_GE(made->seconds, made->lower_bound_seconds * (1 - 1e-9)) << print_text(*made);
  if (made->steps.empty()) return;
  // A plan of few launches keeps the bound and is among the candidates; only a faster one may have more.
  const bool pending = !from.layout().pending().empty() || !to.layout().pending().empty();
  const Plan direct = direct_plan(from, to);
  EXPECT_LE(direct.local_bytes_max, direct.bound_bytes);
  EXPECT_LE(launches(direct), pending ? 2 : 1);
  if (!pending) {
    EXPECT_EQ(direct.received_bytes_total, direct.lower_bound_bytes_total) << print_text(direct);
  }
  EXPECT_LE(made->seconds, direct.seconds) << print_text(*made) << print_text(direct);
  const bool few = launches(*made) <= (pending ? 3 : 2);
  EXPECT_TRUE(few || made->seconds < direct.seconds) << print_text(*made) << print_text(direct);
  expect_moves_data(*made);
}

std::vector<ArrayType> types_of(const MeshRef& on, const Shape& shape, const std::vector<Layout>& layouts) {
  std::vector<ArrayType> types;
  for (const Layout& layout : layouts) types.push_back(*ArrayType::make(ElementType::i32, shape, on, layout));
  return types;
}

// Builds that are slow to run take a part of the pairs.
#ifdef NDEBUG
constexpr std::size_t kEvery = 1;
#else
constexpr std::size_t kEvery = 5;
#endif

void expect_all_pairs_sound(const std::vector<ArrayType>& types, std::size_t every = kEvery) {
  std::size_t number = 0;
  for (const ArrayType& from : types) {
    for (const ArrayType& to : types) {
      if (number++ % every == 0) expect_sound(from, to);
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(EveryChange, OfRankTwoOnTwoByTwoByTwo) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const auto layouts = all_layouts(*on, 2);
  ASSERT_EQ(layouts.size(), 49U);
  expect_all_pairs_sound(types_of(on, {8, 8}, layouts), 1);
  expect_all_pairs_sound(types_of(on, {7, 5}, layouts));
}

TEST(EveryChange, OfRankThreeOnTwoByTwoByTwo) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const auto layouts = all_layouts(*on, 3);
  ASSERT_EQ(layouts.size(), 106U);
  expect_all_pairs_sound(types_of(on, {3, 5, 2}, layouts));
}

TEST(EveryChange, OfUnevenExtentsOnTwoByThreeByTwo) {
  const MeshRef on = mesh("x:2,y:3,z:2");
  expect_all_pairs_sound(types_of(on, {7, 13}, all_layouts(*on, 2)));
}

TEST(EveryChange, OfTinyAndEmptyArrays) {
  const MeshRef on = mesh("x:2,y:3,z:2");
  expect_all_pairs_sound(types_of(on, {1, 3}, all_layouts(*on, 2)));
  expect_all_pairs_sound(types_of(on, {0, 4}, all_layouts(*on, 2)));
}

TEST(EveryChange, WithPendingSums) {
  const MeshRef on = mesh("x:2,y:3");
  expect_all_pairs_sound(types_of(on, {4, 7}, all_pending_layouts(*on, 2, ReduceOp::sum)), 1);
  expect_all_pairs_sound(types_of(on, {}, all_pending_layouts(*on, 0, ReduceOp::sum)));
  const MeshRef three = mesh("x:2,y:2,z:2");
  expect_all_pairs_sound(types_of(three, {9}, all_pending_layouts(*three, 1, ReduceOp::sum)));
}

TEST(EveryChange, BetweenReductions) {
  const MeshRef on = mesh("x:2,y:3");
  std::vector<Layout> layouts = all_pending_layouts(*on, 1, ReduceOp::max);
  const std::vector<Layout> sums = all_pending_layouts(*on, 1, ReduceOp::sum);
  layouts.insert(layouts.end(), sums.begin(), sums.end());
  expect_all_pairs_sound(types_of(on, {5}, layouts));
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
