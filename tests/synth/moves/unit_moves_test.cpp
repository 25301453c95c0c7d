// Sums of groups whose members lie unevenly in the units of a machine: what they take, by hand; who has what; and that
// plans have such programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/transfer/unit_moves.hpp"
#include "synth/planner/steps.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

Machine nodes_of(std::int64_t nodes, std::int64_t devices) {
  return {{{"node", nodes, 1e6, 0}, {"device", devices, 1e12, 0}}};
}

StepCost cost_of_sum(const Plan& plan, const Machine& machine, std::string_view program) {
  Collective step = all_reduce_step(plan.from.layout().pending());
  step.recipe = std::make_shared<const ReduceProgram>(parse_reduce_program(plan.from.mesh(), program).value());
  return cost(on_run(machine), step, plan.from, plan.to);
}

// 4 MB on each device: each node's link, of 1 MB/s, carries so many bytes for each byte of a device.
double seconds_for_a_byte(std::string_view mesh_text, std::string_view axis, const Machine& machine,
                          std::string_view program) {
  const MeshRef on = mesh(mesh_text);
  const Plan plan = planned(type(fmt::format("f32[1000000]{{+{}}}", axis), on), type("f32[1000000]", on), {}, machine);
  return cost_of_sum(plan, machine, program).seconds / 4;
}

TEST(UnitMoves, CarryTheBoundOverEveryNodesLink) {
  // Each node has 2 of the 6 members of each of 4 groups: 2 * 4 * (1 - 1/3).
  EXPECT_NEAR(seconds_for_a_byte("x:6,y:4", "x", nodes_of(3, 8), "all_reduce x units of 8"), 16. / 3, 1e-4);
  EXPECT_NEAR(seconds_for_a_byte("x:6,y:4", "x", nodes_of(3, 8), "all_reduce x"), 32. / 3, 1e-4);
  // Nodes have 2, 1 and 1 members of one of the 3 groups, 1, 2 and 1 of the next, 1, 1 and 2 of the last.
  EXPECT_NEAR(seconds_for_a_byte("x:4,y:3", "x", nodes_of(3, 4), "all_reduce x units of 4"), 3 * 4. / 3, 1e-4);
  EXPECT_NEAR(seconds_for_a_byte("x:4,y:3", "x", nodes_of(3, 4), "all_reduce x"), 2 * (4 + 3 + 3) / 4., 1e-4);
}

TEST(UnitMoves, OfTwoAndOneMembers) {
  const ReduceMoves moves = unit_moves({7, 7, 2}, false, 1);
  // Halves of the tile, because the first unit has two members; each in two parts, because there are two units.
  ASSERT_EQ(moves.cells.size(), 2U);
  EXPECT_EQ(moves.chunk_shares, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(moves.chunk_of(11, 0), (Interval{0, 2}));
  EXPECT_EQ(moves.chunk_of(11, 1), (Interval{2, 5}));
  EXPECT_EQ(moves.chunk_of(11, 2), (Interval{5, 8}));
  EXPECT_EQ(moves.chunk_of(11, 3), (Interval{8, 11}));
  EXPECT_EQ(moves.slots(), 3);
  // Two collect; then each adds its own part to the other unit's, and the third all that is left to it.
  ASSERT_EQ(moves.hops.size(), 4U);
  EXPECT_EQ(moves.hops[0].moves.size(), 2U);
  EXPECT_EQ(moves.hops[1].moves.size(), 4U);
  EXPECT_EQ(sum_tree(moves, 0).nodes, (std::vector<std::vector<std::int32_t>>{{0, 1}, {3, 2}}));
}

TEST(UnitMoves, ArePlannedWhereGroupsDoNotEndWhereUnitsDo) {
  const Machine machine = nodes_of(3, 4);
  const MeshRef on = mesh("x:4,y:3");
  for (const auto& [from, to] : {std::pair("f32[600,5]{+x}", "f32[600,5]"), std::pair("f32[600,5]{+x}", "f32[600@x,5]"),
                                 std::pair("i32[601,3]{max x}", "i32[601,3@y]")}) {
    const Plan plan = planned(type(from, on), type(to, on), {}, machine);
    const bool by_units = std::any_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) {
      return program_of(step.collective) != nullptr && program_of(step.collective)->steps[0].form == ReduceForm::units;
    });
    EXPECT_TRUE(by_units) << from << " -> " << to << "\n" << print_json(plan);
    EXPECT_TRUE(verify(plan, machine).ok());
    expect_moves_data(plan);
  }
}

// ---- Links that differ ----

Machine with_links(std::vector<double> node_links, std::int64_t devices) {
  Machine machine = nodes_of(std::ssize(node_links), devices);
  machine.levels[0].unit_bandwidths = std::move(node_links);
  return machine;
}

// Devices on nodes of eight, of which 8, 4, 4 and 2 are of the mesh; links of 10, 10, 5 and 5 MB/s.
const std::string kEightFourFourTwo = "x:18 on (0:12,16:20,24:26)";

TEST(UnequalLinks, FastOnesMakeMoreOfTheSums) {
  using Shares = std::vector<std::int64_t>;
  EXPECT_EQ(unit_shares({10, 10, 5, 5}), (Shares{1, 1, 0, 0}));
  EXPECT_EQ(unit_shares({2, 2, 1, 1}), (Shares{1, 1, 0, 0}));
  EXPECT_EQ(unit_shares({7, 7, 7}), (Shares{1, 1, 1}));
  EXPECT_EQ(unit_shares({9, 1}), (Shares{1, 1}));
  EXPECT_EQ(unit_shares({4}), (Shares{1}));
  // All links decide: parts are at most (4 / 13 * B - 1) / 1 for B = 5, 4, 4.
  EXPECT_EQ(unit_shares({5, 4, 4}), (Shares{7, 3, 3}));
  // The slowest decides, which makes nothing: 1 / 1 seconds a byte, in which the first may make all and does.
  EXPECT_EQ(unit_shares({3, 9, 9, 1}), (Shares{1, 0, 0, 0}));
  EXPECT_EQ(unit_shares({2, 9, 9, 1}), (Shares{1, 1, 0, 0}));
}

TEST(ExampleOf, UnitMoves) {
  EXPECT_EQ(unit_shares({10, 10, 5, 5}), (std::vector<std::int64_t>{1, 1, 0, 0}));
  const Machine machine = with_links({10e6, 10e6, 5e6, 5e6}, 8);
  const auto seconds = [&](std::string_view program) {
    return seconds_for_a_byte(kEightFourFourTwo, "x", machine, program);
  };
  EXPECT_NEAR(seconds("all_reduce x units of 8 at 2,2,1,1"), 0.2, 1e-5);  // seconds for a megabyte
  EXPECT_NEAR(seconds("all_reduce x units of 8"), 0.3, 1e-5);
  EXPECT_GT(seconds("all_reduce x"), 0.5);
  const MeshRef on = mesh(kEightFourFourTwo);
  const Plan plan = planned(type("f32[1000000]{+x}", on), type("f32[1000000]", on), {}, machine);
  EXPECT_NEAR(plan.lower_bound_seconds, 0.8, 1e-9);
  EXPECT_LE(plan.seconds, 0.8 * 1.001);
  EXPECT_TRUE(verify(plan, machine).ok());
}

// What every node's link carries, each way, in parts of the payload: 1 + (U - 2) w.
TEST(UnequalLinks, EachCarriesWhatItIsFastFor) {
  const Machine machine = with_links({10e6, 10e6, 5e6, 5e6}, 8);
  const MeshRef on = mesh(kEightFourFourTwo);
  const ArrayType from = type("f32[1000000]{+x}", on);
  const ArrayType to = type("f32[1000000]", on);
  Collective step = all_reduce_step(from.layout().pending());
  step.recipe = std::make_shared<const ReduceProgram>(*parse_reduce_program(*on, "all_reduce x units of 8 at 2,2,1,1"));
  std::vector<double> in(4, 0);
  std::vector<double> out(4, 0);
  for (const BoxSend& send : ProgrammedReduction::of(step, from, to)->sends()) {
    if (send.source / 8 == send.target / 8) continue;
    in[static_cast<std::size_t>(send.target / 8)] += static_cast<double>(elements(send.box)) / 1e6;
    out[static_cast<std::size_t>(send.source / 8)] += static_cast<double>(elements(send.box)) / 1e6;
  }
  EXPECT_THAT(in, ::testing::Pointwise(::testing::DoubleNear(1e-5), {2, 2, 1, 1}));
  EXPECT_THAT(out, ::testing::Pointwise(::testing::DoubleNear(1e-5), {2, 2, 1, 1}));
}

// Whole nodes have levels in common; still the links differ.
TEST(UnequalLinks, OfWholeNodes) {
  const Machine machine = with_links({10e6, 10e6, 5e6, 5e6}, 4);
  const MeshRef on = mesh("x:16");
  for (const auto& [from, to, bytes] : {std::tuple("f32[1000000]{+x}", "f32[1000000]", 0.8 * 1.001),
                                        std::tuple("f32[1600000]{+x}", "f32[1600000@x]", 6.4 * 3 / 4 / 5 * 1.001)}) {
    const Plan plan = planned(type(from, on), type(to, on), {}, machine);
    EXPECT_LE(plan.seconds, bytes) << print_json(plan);
    EXPECT_TRUE(verify(plan, machine).ok());
    expect_moves_data(plan);
  }
}

// Four devices without nodes, one of which has a link twice as fast.
TEST(UnequalLinks, OfDevices) {
  const RunMachine machine = on_run({{{"device", 4, 1e6, 0, {}, {2e6, 1e6, 1e6, 1e6}}}});
  const MeshRef on = mesh("x:4");
  const Plan plan = planned(type("f32[1000000]{+x}", on), type("f32[1000000]", on), {}, machine);
  ASSERT_EQ(plan.steps.size(), 1U);
  ASSERT_NE(program_of(plan.steps[0].collective), nullptr);
  EXPECT_EQ(program_of(plan.steps[0].collective)->steps[0].unit_rates, (std::vector<std::int64_t>{2, 1, 1, 1}));
  EXPECT_NEAR(plan.seconds, 4 * 6. / 5, 0.02);  // 6 payloads over all links; evenly 6
  EXPECT_TRUE(verify(plan, machine).ok());
  expect_moves_data(plan);
}

// A list of equal links is a number.
TEST(UnequalLinks, AllAlikeAreAsOne) {
  const MeshRef on = mesh("x:4,y:3");
  const ArrayType from = type("f32[6000]{+x}", on);
  const ArrayType to = type("f32[6000]", on);
  const Plan listed = planned(from, to, {}, with_links({1e6, 1e6, 1e6}, 4));
  EXPECT_EQ(print_json(listed), print_json(planned(from, to, {}, nodes_of(3, 4))));
}

// Another rate, or one too few, is another program: what a plan says of it no longer holds.
TEST(UnequalLinks, WrongRatesAreRefused) {
  const Machine machine = with_links({10e6, 10e6, 5e6, 5e6}, 8);
  const MeshRef on = mesh(kEightFourFourTwo);
  const Plan plan = planned(type("f32[1000000]{+x}", on), type("f32[1000000]", on), {}, machine);
  ASSERT_EQ(plan.steps.size(), 1U);
  for (const std::string_view other :
       {"all_reduce x units of 8 at 2,1,1,1", "all_reduce x units of 8 at 2,2,1", "all_reduce x units of 8"}) {
    Plan wrong = plan;
    ReduceProgram program = *parse_reduce_program(*on, other);
    program.stretches = program_of(plan.steps[0].collective)->stretches;
    wrong.steps[0].collective.recipe = std::make_shared<const ReduceProgram>(program);
    EXPECT_FALSE(verify(wrong, machine).ok()) << other;
  }
}

// Six devices of two nodes of four: a mesh that does not fill the last node.
TEST(UnitMoves, OfAMeshThatLeavesDevicesOver) {
  const Machine machine = nodes_of(2, 4);
  const MeshRef on = mesh("x:6");
  const Plan plan = planned(type("f32[6000]{+x}", on), type("f32[6000]", on), {}, machine);
  ASSERT_EQ(plan.steps.size(), 1U);
  ASSERT_NE(program_of(plan.steps[0].collective), nullptr);
  EXPECT_EQ(program_of(plan.steps[0].collective)->steps[0].form, ReduceForm::units);
  // 24,000 bytes cross once in each direction; in one hop 48 times 4,000 do.
  EXPECT_LE(plan.seconds, 1.05 * 0.024);
  EXPECT_TRUE(verify(plan, machine).ok());
  expect_moves_data(plan);
}

TEST(UnitMoves, AsText) {
  const MeshRef on = mesh("x:4,y:3");
  for (const std::string_view good :
       {"all_reduce x units of 4", "reduce_scatter (x,y) units of 2 in 8", "all_reduce x units of 4 at 2,1,1 in 3"}) {
    const auto program = parse_reduce_program(*on, good);
    ASSERT_TRUE(program.has_value()) << good;
    EXPECT_EQ(print(*on, *program), good);
  }
  for (const std::string_view bad :
       {"all_reduce x units", "all_reduce x units of", "all_reduce x units of 0", "all_reduce x units 4",
        "all_reduce x units of -4", "all_reduce x units of 4 of 4", "all_reduce x halving of 4",
        "all_reduce x units of 4 at", "all_reduce x units of 4 at 2,", "all_reduce x units of 4 at 0,1",
        "all_reduce x halving at 2"})
    EXPECT_FALSE(parse_reduce_program(*on, bad).has_value()) << bad;
}

}  // namespace
}  // namespace tessera::synth::test
