// Sums of groups whose members lie unevenly in the units of a machine: what they take, by hand; who has what; and that
// plans have such programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "synth/collective/programmed.hpp"
#include "synth/machine/machine.hpp"
#include "synth/redistribute/chain.hpp"
#include "synth/transfer/unit_moves.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

Machine nodes_of(std::int64_t nodes, std::int64_t devices) {
  return {{{"node", nodes, 1e6, 0}, {"device", devices, 1e12, 0}}};
}

StepCost cost_of_sum(const Plan& plan, const Machine& machine, std::string_view program) {
  Collective step = all_reduce_step(plan.from.layout().pending());
  step.program = std::make_shared<const ReduceProgram>(parse_reduce_program(plan.from.mesh(), program).value());
  return cost(machine, step, plan.from, plan.to);
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
  EXPECT_EQ(moves.chunks_of_cell, 2);
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
      return step.collective.program != nullptr && step.collective.program->steps[0].form == ReduceForm::units;
    });
    EXPECT_TRUE(by_units) << from << " -> " << to << "\n" << print_json(plan);
    EXPECT_TRUE(verify(plan, machine).ok());
    expect_moves_data(plan);
  }
}

// Six devices of two nodes of four: a mesh that does not fill the last node.
TEST(UnitMoves, OfAMeshThatLeavesDevicesOver) {
  const Machine machine = nodes_of(2, 4);
  const MeshRef on = mesh("x:6");
  const Plan plan = planned(type("f32[6000]{+x}", on), type("f32[6000]", on), {}, machine);
  ASSERT_EQ(plan.steps.size(), 1U);
  ASSERT_NE(plan.steps[0].collective.program, nullptr);
  EXPECT_EQ(plan.steps[0].collective.program->steps[0].form, ReduceForm::units);
  // 24,000 bytes cross once in each direction; in one hop 48 times 4,000 do.
  EXPECT_LE(plan.seconds, 1.05 * 0.024);
  EXPECT_TRUE(verify(plan, machine).ok());
  expect_moves_data(plan);
}

TEST(UnitMoves, AsText) {
  const MeshRef on = mesh("x:4,y:3");
  for (const std::string_view good : {"all_reduce x units of 4", "reduce_scatter (x,y) units of 2 in 8"}) {
    const auto program = parse_reduce_program(*on, good);
    ASSERT_TRUE(program.has_value()) << good;
    EXPECT_EQ(print(*on, *program), good);
  }
  for (const std::string_view bad :
       {"all_reduce x units", "all_reduce x units of", "all_reduce x units of 0", "all_reduce x units 4",
        "all_reduce x units of -4", "all_reduce x units of 4 of 4", "all_reduce x halving of 4"})
    EXPECT_FALSE(parse_reduce_program(*on, bad).has_value()) << bad;
}

}  // namespace
}  // namespace tessera::synth::test
