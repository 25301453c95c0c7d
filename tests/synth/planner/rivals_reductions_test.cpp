// How others finish sums: what each can, and that none of them is faster than our plan.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/synth/programs.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

constexpr std::array kSumRivals = {Planner::ring, Planner::smp, Planner::p2};

Machine two_nodes() { return {{{"node", 2, 1e9, 5e-6}, {"device", 4, 1e11, 1e-6}}}; }

PlanOptions options_of(Planner planner) {
  PlanOptions options;
  options.planner = planner;
  return options;
}

// Why a rival cannot, or its program.
std::string answer(Planner rival, std::string_view from, std::string_view to, std::string_view on,
                   const Machine& machine) {
  const MeshRef where = mesh(on);
  const auto made = plan(type(from, where), type(to, where), machine, options_of(rival));
  if (!made) return made.errors().front().message;
  if (made->steps.size() != 1 || program_of(made->steps[0].collective) == nullptr) return "no program";
  EXPECT_TRUE(made->verified);
  return print(*where, *program_of(made->steps[0].collective));
}

TEST(SumRivals, Programs) {
  const auto of = [](Planner rival, const char* to) {
    return answer(rival, "f32[1000000]{+x}", to, "x:8", two_nodes());
  };
  EXPECT_EQ(of(Planner::ring, "f32[1000000]"), "all_reduce x ring");
  EXPECT_EQ(of(Planner::ring, "f32[1000000@x]"), "reduce_scatter x ring");
  EXPECT_EQ(
      of(Planner::smp, "f32[1000000]"),
      "reduce x:(2)4 halving; reduce_scatter x:(1)2 first x:(2)4 halving; all_gather x:(1)2 first x:(2)4 halving; "
      "broadcast x:(2)4 halving");
  EXPECT_EQ(of(Planner::p2, "f32[1000000]"),
            "reduce_scatter (x:(1)2,x:(2)4) halving; all_gather (x:(1)2,x:(2)4) halving");
  EXPECT_EQ(of(Planner::p2, "f32[1000000@x]"), "reduce_scatter (x:(1)2,x:(2)4) halving");
}

// Of little all that masters have is exchanged at once.
TEST(SumRivals, MastersOfLittle) {
  EXPECT_EQ(answer(Planner::smp, "f32[100]{+x}", "f32[100]", "x:8", two_nodes()),
            "reduce x:(2)4 halving; all_reduce x:(1)2 first x:(2)4 halving; broadcast x:(2)4 halving");
}

TEST(SumRivals, DoNothingElse) {
  const std::string nothing_else = "cannot do this: the change is not just a sum";
  for (const Planner rival : kSumRivals) {
    const std::string who = "the planner `" + std::string(name(rival)) + "` ";
    const auto refused = [&](const char* from, const char* to) {
      EXPECT_EQ(answer(rival, from, to, "x:4,y:2", two_nodes()), who + nothing_else) << from << " -> " << to;
    };
    refused("f32[16@x]", "f32[16]");
    refused("f32[16]", "f32[16]");
    refused("f32[16]{+x}", "f32[16@y]");
    refused("f32[16@y]{+x}", "f32[16]");
    refused("f32[16]{+x}", "f32[16]{+y}");
    EXPECT_EQ(answer(rival, "f32[16]{+x}", "f32[16]", "x:4,y:2", {}),
              who + "cannot do this: no machine file describes the links");
  }
  EXPECT_EQ(answer(Planner::smp, "f32[16]{+x}", "f32[16@x]", "x:4,y:2", two_nodes()),
            "the planner `smp` cannot do this: a master gives everybody the same");
  // Axes of 4 and 3 on 3 nodes of 4: groups along y begin in one node and end in another.
  const RunMachine three = on_run({{{"node", 3, 1e9, 5e-6}, {"device", 4, 1e11, 1e-6}}});
  EXPECT_EQ(answer(Planner::ring, "f32[16]{+y}", "f32[16]", "x:4,y:3", three), "all_reduce y ring");
  EXPECT_EQ(answer(Planner::p2, "f32[16]{+y}", "f32[16]", "x:4,y:3", three),
            "the planner `p2` cannot do this: groups of devices do not end where units of the machine do");
}

// Our planner takes what receives less where it is as fast to a hundredth.
TEST(SumRivals, AreNeverFaster) {
  Random random(8);
  std::array<int, kSumRivals.size()> planned_by{};
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    RandomSum sum = random_sum(random);
    // Half of them give everybody everything, which all rivals can.
    if (random.coin()) {
      sum.to = *sum.from.with_layout(
          *Layout::make(sum.from.mesh(), sum.from.layout().splits(), {}, sum.from.layout().reduce()));
    }
    const double ours = plan_of(sum).seconds;
    for (std::size_t r = 0; r < kSumRivals.size(); ++r) {
      const auto made = plan(sum.from, sum.to, sum.machine, options_of(kSumRivals[r]));
      if (!made) continue;
      ++planned_by[r];
      expect_moves_data(*made);
      EXPECT_LE(ours, made->seconds * 1.0101) << name(kSumRivals[r]) << ": " << print(sum.from) << " -> "
                                              << print(sum.to) << " on " << print(sum.to.mesh());
    }
  }
  for (const int count : planned_by) EXPECT_GE(count, 100);
}

}  // namespace
}  // namespace tessera::synth::test
