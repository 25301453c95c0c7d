#include "tests/synth/choose/choose_properties.hpp"

#include "bench/choose/training.hpp"
#include "synth/choose/ascent.hpp"
#include "synth/choose/branch.hpp"
#include "synth/choose/eliminate.hpp"
#include "synth/choose/walk.hpp"
#include "synth/program/compute_cost.hpp"
#include "synth/verify/choice.hpp"
#include "tests/synth/choose/choose_support.hpp"

namespace tessera::synth::test {

namespace {

// Sums in another order differ in their last bits.
constexpr double kSame = 2e-9;

void expect_same(double a, double b) { EXPECT_NEAR(a, b, kSame * std::max(a, b)); }

Machine any_machine(const Mesh& mesh, Dice& dice) {
  const std::vector<Machine> all = machines_of(mesh);
  return all[roll(dice, all.size())];
}

// ---- Rivals ----

// The problem with its parameters laid out by somebody: the best choice for them is what that somebody can reach.
ChoiceProblem with_parameters(ChoiceProblem problem, bool inputs_alone) {
  for (ChoiceNode& node : problem.nodes) {
    if (node.operation || !node.result || node.pin) continue;
    const bool is_weight = !node.uses.empty();
    const ChoiceValue& value = problem[*node.result];
    std::vector<AxisList> splits(value.shape.size());
    if (!is_weight || !inputs_alone) {
      for (std::size_t axis = 0; axis < problem.mesh->axes().size(); ++axis)
        splits[0].push_back(whole_axis(*problem.mesh, axis));
    }
    node.pin = Layout::make(*problem.mesh, splits).value();
  }
  return problem;
}

// Takes the nodes in order, each as is cheapest by itself, and never looks ahead.
double seconds_of_greedy(const ChoiceProblem& problem, const Machine& machine) {
  const Machine devices = with_every_device(machine, problem.mesh->devices_end());
  auto model = model_of(problem, machine, devices);
  EXPECT_TRUE(model.ok());
  Assignment assignment((*model)->nodes.size(), 0);
  std::vector<std::optional<std::size_t>> made((*model)->stars.size());
  for (std::size_t n = 0; n < assignment.size(); ++n) {
    const ModelNode& node = (*model)->nodes[n];
    double least = kEndless;
    for (std::size_t x = 0; x < node.strategies.size(); ++x) {
      double seconds = node.strategies[x].seconds;
      for (std::size_t s = 0; s < node.slots.size(); ++s) {
        const ModelSlot& slot = node.slots[s];
        if (slot.place == 0 || !made[slot.star]) continue;
        seconds += (*model)->stars[slot.star].price(*made[slot.star], node.strategies[x].labels[s]);
      }
      if (seconds >= least) continue;
      least = seconds;
      assignment[n] = x;
    }
    for (std::size_t s = 0; s < node.slots.size(); ++s) {
      if (node.slots[s].place == 0) made[node.slots[s].star] = node.strategies[assignment[n]].labels[s];
    }
  }
  return seconds_of(**model, assignment);
}

}  // namespace

void expect_equal_to_enumeration(std::size_t programs, std::uint64_t seed) {
  Dice dice(seed);
  const std::vector<MeshRef> meshes = {mesh("x:2"), mesh("x:3"), mesh("x:2,y:2"), mesh("d:2 work(3,1)")};
  std::size_t compared = 0;
  while (compared < programs) {
    const MeshRef& on = meshes[roll(dice, meshes.size())];
    const ChoiceProblem problem = random_problem(on, 1 + roll(dice, on->axes().size() == 2 ? 3 : 7), dice);
    const Machine machine = any_machine(*on, dice);
    const auto least = least_by_enumeration(problem, machine);
    if (!least) continue;
    ++compared;
    const LayoutChoice choice = verified_choice(problem, machine);
    EXPECT_NE(choice.proof, ChoiceProof::limit);
    expect_same(choice.seconds, *least);
    expect_same(choice.bound_seconds, *least);
    if (testing::Test::HasFailure()) FAIL() << "program " << compared << " of seed " << seed << " on " << print(*on);
  }
}

void expect_agreement(std::size_t programs, std::uint64_t seed) {
  Dice dice(seed);
  const std::vector<MeshRef> meshes = {mesh("x:2"), mesh("x:3"), mesh("x:4"), mesh("x:2,y:2")};
  for (std::size_t i = 0; i < programs; ++i) {
    const MeshRef& on = meshes[roll(dice, meshes.size())];
    const ChoiceProblem problem = random_problem(on, 1 + roll(dice, on->axes().size() == 2 ? 12 : 40), dice);
    const Machine machine = any_machine(*on, dice);
    const double seconds = verified_choice(problem, machine).seconds;
    const Machine devices = with_every_device(machine, on->devices_end());
    auto model = model_of(problem, machine, devices);
    ASSERT_TRUE(model.ok());
    Ascent ascent(**model);
    ascent.run(5);
    const double limit = seconds * (1 + 1e-9);
    const Eliminated eliminated = eliminate(**model, ascent, {limit, std::size_t{1} << 18});
    const WalkResult walked = walk(**model, ascent, {limit, 100'000, true, 1'000'000});
    if (eliminated.is_complete) {
      ASSERT_TRUE(eliminated.best.has_value()) << "program " << i << " of seed " << seed;
      expect_same(seconds_of(**model, *eliminated.best), seconds);
    }
    if (walked.end != WalkEnd::too_many) {
      ASSERT_EQ(walked.end, WalkEnd::found) << "program " << i << " of seed " << seed;
      expect_same(walked.seconds, seconds);
      expect_same(seconds_of(**model, walked.best), seconds);
    }
    // With next to no states of a walk, it cuts again and again.
    const Branched cut = branch(**model, ascent, {seconds * 1.1, 1000, 5, 10});
    ASSERT_TRUE(cut.best.has_value()) << "program " << i << " of seed " << seed;
    expect_same(seconds_of(**model, *cut.best), seconds);
    expect_same(cut.bound, seconds);
    if (testing::Test::HasFailure()) FAIL() << "program " << i << " of seed " << seed << " on " << print(*on);
  }
}

void expect_rounds_near_the_best(std::size_t programs, std::uint64_t seed) {
  Dice dice(seed);
  const MeshRef on = mesh("x:2,y:2,z:2");
  ChooseOptions by_rounds;
  by_rounds.rounds_above = 0;
  for (std::size_t i = 0; i < programs; ++i) {
    bench::PerceptronShape shape{std::int64_t{16} << roll(dice, 6), {}};
    for (std::size_t w = 0; w < 2; ++w) shape.widths.push_back(std::int64_t{32} << roll(dice, 5));
    const bool is_any = roll(dice, 2) == 0;
    const ChoiceProblem problem =
        is_any ? random_problem(on, 1 + roll(dice, 3), dice) : bench::perceptron(on, shape, true);
    const Machine machine = any_machine(*on, dice);
    const LayoutChoice best = verified_choice(problem, machine);
    const LayoutChoice rounds = verified_choice(problem, machine, by_rounds);
    EXPECT_LE(best.bound_seconds, rounds.seconds * (1 + kSame));
    EXPECT_LE(rounds.bound_seconds, best.seconds * (1 + kSame));
    EXPECT_GE(rounds.bound_seconds, 0);
    EXPECT_EQ(rounds.strategies, best.strategies);
    if (!is_any) expect_same(rounds.seconds, best.seconds);
    if (testing::Test::HasFailure()) FAIL() << "program " << i << " of seed " << seed;
  }
}

void expect_no_better_rival(std::size_t programs, std::uint64_t seed) {
  Dice dice(seed);
  for (std::size_t i = 0; i < programs; ++i) {
    const MeshRef on = mesh(roll(dice, 2) == 0 ? "d:4" : "x:2,y:2");
    bench::PerceptronShape shape{std::int64_t{8} << roll(dice, 6), {}};
    const std::size_t layers = 2 + roll(dice, on->axes().size() == 1 ? 3 : 1);
    for (std::size_t w = 0; w < layers; ++w) shape.widths.push_back(std::int64_t{16} << roll(dice, 6));
    const ChoiceProblem problem = bench::perceptron(on, shape, true);
    const Machine machine = any_machine(*on, dice);
    const double best = verified_choice(problem, machine).seconds * (1 - kSame);
    EXPECT_LE(best, verified_choice(with_parameters(problem, true), machine).seconds) << "data parallel";
    EXPECT_LE(best, verified_choice(with_parameters(problem, false), machine).seconds) << "sharded parameters";
    EXPECT_LE(best, seconds_of_greedy(problem, machine)) << "greedy";
    if (testing::Test::HasFailure()) FAIL() << "program " << i << " of seed " << seed << " on " << print(*on);
  }
}

}  // namespace tessera::synth::test
