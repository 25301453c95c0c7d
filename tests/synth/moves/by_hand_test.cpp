// Collectives written out by hand: the step that was asked for, with the recipe that plans give it.
#include <algorithm>
#include <string>
#include <vector>

#include "synth/planner/programs.hpp"
#include "synth/planner/steps.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

const RunMachine kNodes = on_run({{{"node", 4, 8e9, 5e-6}, {"device", 16, 270e9, 1e-6}}});

Plan by_hand(const ArrayType& from, const Collective& step, const Machine& machine) {
  auto made = plan_by_hand(from, step, machine);
  EXPECT_TRUE(made.ok()) << print(from) << ": " << first_message(made);
  return *std::move(made);
}

// 1 MB on 64 devices: in one hop an all_reduce takes 3,315 us, a reduce_scatter 1,815.
TEST(ByHand, ASumHasTheProgramThatPlansGiveIt) {
  const MeshRef on = mesh("dp:64");
  const ArrayType from = type("f32[250000]{+dp}", on);
  const AxisList dp = from.layout().pending();
  for (const auto& [step, to] :
       {std::pair{all_reduce_step(dp), "f32[250000]"}, std::pair{reduce_scatter_step(dp, 0), "f32[250000@dp]"}}) {
    const Plan hand = by_hand(from, step, kNodes);
    const Plan own = planned(from, type(to, on), {}, kNodes);
    ASSERT_EQ(hand.steps.size(), 1U);
    ASSERT_NE(program_of(hand.steps[0].collective), nullptr);
    EXPECT_LE(hand.seconds, own.seconds * 1.02);
    EXPECT_LT(hand.seconds * 10, plan_of_steps(from, {step}, kNodes)->seconds);
    EXPECT_TRUE(hand.verified);
  }
}

// Without a machine file nothing says which links are slow: the step is as it was written.
TEST(ByHand, IsDirectWithoutAMachineFile) {
  const ArrayType from = type("f32[250000]{+dp}", "dp:64");
  const Plan hand = by_hand(from, all_reduce_step(from.layout().pending()), Machine{});
  EXPECT_EQ(program_of(hand.steps[0].collective), nullptr);
}

TEST(ByHand, WhatCopiesIsRelayedWherePlansRelayIt) {
  const RunMachine pair = on_run({{{"node", 2, 12.5e9, 5e-6}, {"gpu", 4, 300e9, 1e-6}}});
  const MeshRef on = mesh("n:2,g:4");
  const ArrayType from = type("f32[4096@n,4096]", on);
  const ArrayType to = type("f32[4096,4096]", on);
  const Plan own = planned(from, to, {}, pair);
  ASSERT_EQ(steps_of(own), "relay");
  for (const Collective& step : {exchange_step(to), all_gather_step(from.layout().split(0), 0)}) {
    const Plan hand = by_hand(from, step, pair);
    EXPECT_EQ(steps_of(hand), "relay");
    EXPECT_EQ(hand.seconds, own.seconds);
    EXPECT_EQ(hand.received_bytes_total, plan_of_steps(from, {step}, pair)->received_bytes_total);
  }
}

// Any step that may be taken somewhere: it stays one step with the same end, is verified, and is no slower than as it
// was written; where a plan for the change is one step, no slower than that but for the hundredth.
TEST(ByHand, OneStepIsAsFastAsAPlanOfOneStep) {
  Random random(29);
  const std::vector<Machine> machines{kNodes,
                                      Machine{{{"pod", 2, 1e9, 1e-5}, {"node", 4, 8e9, 5e-6}, {"gpu", 8, 1e11, 1e-6}}}};
  const std::vector<MeshRef> meshes{mesh("a:4,b:16"), mesh("a:8,b:2,c:4"), mesh("a:3,b:4")};
  std::size_t sums = 0;
  for (int round = 0; round < 100; ++round) {
    const MeshRef on = meshes[random.below(meshes.size())];
    const Machine& machine = machines[random.below(machines.size())];
    const Shape shape{static_cast<std::int64_t>(1 + random.below(3000)),
                      static_cast<std::int64_t>(1 + random.below(200))};
    const ArrayType from = *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, 2, true, random));
    const AxisList pending = from.layout().pending();
    std::vector<Collective> steps;
    if (!pending.empty()) steps = {all_reduce_step(pending), reduce_scatter_step(pending, random.below(2))};
    for (std::size_t d = 0; d < 2; ++d) {
      if (!from.layout().split(d).empty()) steps.push_back(all_gather_step(from.layout().split(d), d));
      if (!from.layout().split(d).empty()) steps.push_back(all_to_all_step(from.layout().split(d), d, 1 - d));
    }
    for (const Collective& step : steps) {
      const auto plain = plan_of_steps(from, {step}, machine);
      if (!plain.ok()) continue;
      const Plan hand = by_hand(from, step, machine);
      SCOPED_TRACE(print(*on) + ": " + print(from) + " " + std::string(name(step)));
      ASSERT_EQ(hand.steps.size(), 1U);
      EXPECT_EQ(hand.to, plain->to);
      EXPECT_LE(hand.seconds, plain->seconds);
      sums += program_of(hand.steps[0].collective) != nullptr ? 1 : 0;
      const Plan own = planned(from, hand.to, {}, machine);
      if (own.steps.size() == 1) {
        EXPECT_LE(hand.seconds, own.seconds * 1.0101);
      }
    }
  }
  EXPECT_GT(sums, 15U);
}

}  // namespace
}  // namespace tessera::synth::test
