// Reduction programs carried out: what the builder makes of them and what the verifier replays agree, on code that they
// do not share; plans with programs are read back, verify, and are refused when a thing in them is changed.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/transfer/reduce_moves.hpp"
#include "synth/planner/steps.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/programs.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/programs.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

struct Sum {
  Collective step;
  ArrayType before;
  ArrayType after;
  Machine machine;
};

std::optional<verifier::ProgramFigures> replayed(const Sum& sum) {
  verifier::ReductionRequest request;
  request.mesh = sum.after.mesh_ref();
  request.reduced = *without(sum.before.layout().pending(), sum.after.layout().pending());
  request.scatters = kind_of(sum.step) == CollectiveKind::reduce_scatter;
  request.element_bytes = bytes_of(sum.after.element());
  for (std::int64_t device = 0; device < sum.after.devices(); ++device)
    request.elements.push_back(elements(tile(sum.after, device)));
  verifier::ProgramFigures figures;
  if (verifier::replay_program(request, *program_of(sum.step), on_run(sum.machine), figures)) return std::nullopt;
  return figures;
}

// Does the builder take a program as the verifier does, and with the same figures?
bool is_taken_alike(const Sum& sum) {
  const auto reduction = ProgrammedReduction::of(sum.step, sum.before, sum.after);
  const auto figures = replayed(sum);
  EXPECT_EQ(reduction.has_value(), figures.has_value()) << print(sum.after.mesh(), *program_of(sum.step));
  if (!reduction || !figures) return false;
  std::vector<std::int64_t> received = reduction->received_elements();
  for (std::int64_t& count : received) count *= bytes_of(sum.after.element());
  EXPECT_EQ(received, figures->received_bytes);
  EXPECT_EQ(reduction->beside_bytes(), figures->beside_bytes);
  EXPECT_EQ(reduction->moves().hop_slots, figures->hops);
  EXPECT_EQ(hop_slots(*program_of(sum.step)), figures->hops);
  const double seconds = reduction->cost(Cluster(on_run(sum.machine))).seconds;
  EXPECT_NEAR(seconds, figures->seconds, 1e-9 * figures->seconds);
  return true;
}

std::vector<Sum> sums_of(const Plan& plan, const Machine& machine) {
  std::vector<Sum> sums;
  ArrayType before = plan.from;
  for (const PlanStep& step : plan.steps) {
    if (program_of(step.collective) != nullptr) sums.push_back({step.collective, before, step.after, machine});
    before = step.after;
  }
  return sums;
}

TEST(ReduceMoves, AreWhatTheVerifierReplays) {
  Random random(5);
  int taken = 0;
  int stretched = 0;
  int scattered = 0;
  while ((taken < 500 || stretched < 50 || scattered < 50) && taken < 3'000 && !HasFailure()) {
    const RandomSum problem = random_sum(random);
    for (const Sum& sum : sums_of(plan_of(problem), problem.machine)) {
      taken += is_taken_alike(sum) ? 1 : 0;
      stretched += program_of(sum.step)->stretches > 1 ? 1 : 0;
      scattered += kind_of(sum.step) == CollectiveKind::reduce_scatter ? 1 : 0;
    }
  }
  EXPECT_GE(stretched, 50);
  EXPECT_GE(scattered, 50);
}

TEST(ReduceMoves, WithOneThingChangedAreTakenAlike) {
  Random random(6);
  int taken = 0;
  int refused = 0;
  while (taken + refused < 3'000 && !HasFailure()) {
    const RandomSum problem = random_sum(random);
    const Plan right = plan_of(problem);
    for (const Sum& sum : sums_of(right, problem.machine)) {
      for (int i = 0; i < 10; ++i) {
        Sum wrong = sum;
        wrong.step.recipe = std::make_shared<const ReduceProgram>(changed(*program_of(sum.step), random));
        (is_taken_alike(wrong) ? taken : refused) += 1;
      }
    }
  }
  EXPECT_GE(refused, 1'000);
  EXPECT_GE(taken, 100);
}

// Whoever changes a program in a plan has to change its figures too; and what then verifies makes the same sums.
// 2,000 in all.
class ChangedPrograms : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ChangedPrograms, InPlansAreRefusedOrMakeNoDifference) {
  Random random(GetParam());
  int refused = 0;
  int mutants = 0;
  while (mutants < 500 && !HasFailure()) {
    const RandomSum problem = random_sum(random);
    const Plan right = plan_of(problem);
    const std::string text = print_json(right);
    if (text.find("\"program\"") == std::string::npos) continue;
    const auto read = read_json(text);
    ASSERT_TRUE(read.ok()) << first_message(read) << "\n" << text;
    EXPECT_EQ(print_json(*read), text);
    EXPECT_TRUE(verify(*read, problem.machine).ok()) << text;
    for (std::size_t i = 0; i < right.steps.size(); ++i) {
      if (program_of(right.steps[i].collective) == nullptr) continue;
      Plan wrong = right;
      wrong.steps[i].collective.recipe =
          std::make_shared<const ReduceProgram>(changed(*program_of(right.steps[i].collective), random));
      ++mutants;
      if (verify(wrong, problem.machine).ok())
        expect_moves_data(wrong);
      else
        ++refused;
    }
  }
  EXPECT_GE(refused, mutants / 2);
}
INSTANTIATE_TEST_SUITE_P(Seeds, ChangedPrograms, testing::Values(7, 8, 9, 10));

// x and z hold the same. Cut by z alone, what is gathered in the end stays inside the innermost units; one device of
// three need not keep the value and hand it out.
TEST(ReduceMoves, OfCopiesBeginWithASlice) {
  const MeshRef on = mesh("x:2,y:2,z:3");
  const RunMachine machine = on_run({{{"a", 2, 1e6, 0}, {"b", 2, 8e6, 0}, {"c", 3, 64e6, 0}}});
  const Plan plan = planned(type("f32[26,32]{max y}", on), type("f32[26,32@y]", on), {}, machine);
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(kind_of(plan.steps[0].collective), CollectiveKind::slice);
  EXPECT_EQ(plan.received_bytes_total, plan.lower_bound_bytes_total);
  EXPECT_LE(plan.seconds, 227e-6);
}

TEST(ReduceMoves, Peak) {
  const MeshRef on = mesh("x:8");
  const RunMachine machine = on_run({{{"node", 2, 1e6, 0}, {"device", 4, 1e9, 0}}});
  const ArrayType from = type("f32[64]{+x}", on);
  // Inside the nodes first: a device has a quarter of the array on the way, of which half is its own.
  const Plan scattered = planned(from, type("f32[64@x]", on), {}, machine);
  ASSERT_EQ(scattered.steps.size(), 1U);
  ASSERT_NE(program_of(scattered.steps[0].collective), nullptr);
  EXPECT_EQ(scattered.peak_bytes, 256 + 32 + 32);
  // Where all exchange all they have, sums are made aside.
  Sum whole{all_reduce_step({whole_axis(*on, 0)}), from, type("f32[64]", on), machine};
  const auto beside = [&](const char* text) {
    whole.step.recipe = std::make_shared<const ReduceProgram>(parse_reduce_program(*on, text).value());
    EXPECT_TRUE(is_taken_alike(whole));
    return ProgrammedReduction::of(whole.step, whole.before, whole.after)->beside_bytes();
  };
  EXPECT_EQ(beside("all_reduce x halving"), 256);
  EXPECT_EQ(beside("reduce_scatter x:(2)4; all_reduce x:(1)2; all_gather x:(2)4 in 2"), 0);
  EXPECT_EQ(beside("all_reduce x ring"), 0);
}

TEST(ReduceMoves, OnlyWithAMachineFile) {
  const MeshRef on = mesh("x:8");
  const Plan plan = planned(type("f32[64]{+x}", on), type("f32[64]", on));
  EXPECT_EQ(print_json(plan).find("program"), std::string::npos);
}

// By hand: on two nodes of two, the nodes' sums are added to each other.
TEST(ReduceMoves, Tree) {
  const MeshRef on = mesh("x:4");
  const auto moves = [&](const char* text) {
    return reduce_moves({whole_axis(*on, 0)}, false, parse_reduce_program(*on, text).value()).value();
  };
  using Nodes = std::vector<std::vector<std::int32_t>>;
  EXPECT_EQ(sum_tree(moves("all_reduce x"), 0).nodes, (Nodes{{0, 1, 2, 3}}));
  EXPECT_EQ(sum_tree(moves("reduce_scatter x:(2)2; all_reduce x:(1)2; all_gather x:(2)2"), 0).nodes,
            (Nodes{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(sum_tree(moves("reduce x:(2)2; all_reduce x:(1)2 first x:(2)2; broadcast x:(2)2"), 0).nodes,
            (Nodes{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(sum_tree(moves("all_reduce x halving"), 0).nodes, (Nodes{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(sum_tree(moves("all_reduce x ring"), 0).nodes, (Nodes{{1, 2}, {4, 3}, {0, 5}}));
  EXPECT_EQ(sum_tree(moves("all_reduce x ring"), 1).nodes, (Nodes{{2, 3}, {0, 4}, {5, 1}}));
}

}  // namespace
}  // namespace tessera::synth::test
