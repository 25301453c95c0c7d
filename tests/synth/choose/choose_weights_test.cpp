// Shares that are chosen together with layouts: against shares at random.
#include "synth/choose/weights.hpp"

#include <numeric>
#include <utility>

#include "bench/choose/training.hpp"
#include "synth/choose/turns.hpp"
#include "synth/verify/choice.hpp"
#include "tests/synth/choose/choose_support.hpp"

namespace tessera::synth::test {
namespace {

Machine devices_of_speeds(const std::vector<double>& speeds, double link_bandwidth) {
  Machine machine;
  machine.levels = {{"device", std::ssize(speeds), link_bandwidth, 1e-6}};
  for (const double speed : speeds) machine.devices.push_back({1, speed, speed / 10, 0});
  return machine;
}

std::vector<std::vector<std::int64_t>> values_of(const std::vector<Weights>& all) {
  std::vector<std::vector<std::int64_t>> values;
  for (const Weights& own : all) values.push_back(own.values());
  return values;
}

TEST(ExampleOf, Weights) {
  const auto all = weights_to_search(devices_of_speeds({1e9, 6e9, 3e9, 1e9}, 1e9), *mesh("d:4 auto(1,1,1,2)"), 0);
  EXPECT_EQ(values_of(all), (std::vector<std::vector<std::int64_t>>{{1, 1, 1, 1}, {1, 3, 3, 1}, {91, 545, 273, 91}}));
}

// A position of several devices is as fast as its slowest one.
TEST(ChoiceWeights, CountTheSlowestDeviceOfAPosition) {
  const auto all = weights_to_search(devices_of_speeds({2e9, 4e9, 1e9, 4e9}, 1e9), *mesh("x:2 auto(1,2),y:2"), 0);
  EXPECT_EQ(values_of(all), (std::vector<std::vector<std::int64_t>>{{1, 1}, {667, 333}}));
}

TEST(ChoiceWeights, AreEvenWhereNothingIsKnownOfDevices) {
  EXPECT_EQ(values_of(weights_to_search(Machine{}, *mesh("d:2 auto(1,2)"), 0)),
            (std::vector<std::vector<std::int64_t>>{{1, 1}}));
}

// A training step on three devices of some speeds and links.
std::pair<Machine, ChoiceProblem> random_training(Dice& dice) {
  std::vector<double> speeds;
  for (int d = 0; d < 3; ++d) speeds.push_back(1e9 * static_cast<double>(1 + roll(dice, 6)));
  Machine machine = devices_of_speeds(speeds, 1e8 * static_cast<double>(1 + roll(dice, 30)));
  const bench::PerceptronShape shape{512, {std::int64_t{64} << roll(dice, 3), std::int64_t{64} << roll(dice, 3), 256}};
  return {std::move(machine), bench::perceptron(mesh("d:3 auto(2,1,1)"), shape, true)};
}

// Whole numbers and indivisible rows make a little difference; nothing else does.
TEST(ChoiceWeights, AreNoWorseThanSharesAtRandom) {
  Dice dice(5);
  for (int i = 0; i < 6; ++i) {
    const auto [machine, problem] = random_training(dice);
    PlanCache cache(machine);
    const auto best = choose_with_weights(problem, {0, 1}, cache);
    ASSERT_TRUE(best.ok()) << first_message(best);
    EXPECT_TRUE(best->is_exact);
    EXPECT_FALSE(fault_of_choice(best->problem, best->choice, machine).has_value());
    for (int k = 0; k < 6; ++k) {
      const auto share = [&] { return std::to_string(10 + roll(dice, 90)); };
      ChoiceProblem other = problem;
      other.mesh = mesh("d:3 auto(" + share() + "," + share() + "," + share() + ")");
      const auto choice = choose(other, cache);
      ASSERT_TRUE(choice.ok());
      EXPECT_LE(best->choice.seconds, choice->seconds * 1.03) << print(*other.mesh);
    }
  }
}

// A program takes what its search says, in its own weights; in turns no program and weights are found that beat the
// best of all weights, and what is found is right.
TEST(ChoiceInTurns, IsNoBetterThanAllWeights) {
  Dice dice(11);
  for (int i = 0; i < 8; ++i) {
    const auto [machine, problem] = random_training(dice);
    PlanCache cache(machine);
    const auto best = choose_with_weights(problem, {0, 1}, cache);
    const auto turns = choose_in_turns(problem, {0, 1}, cache);
    ASSERT_TRUE(best.ok() && turns.ok()) << first_message(turns);
    EXPECT_FALSE(turns->is_exact);
    EXPECT_GE(turns->choice.seconds, best->choice.seconds * (1 - 1e-9));
    EXPECT_FALSE(fault_of_choice(turns->problem, turns->choice, machine).has_value());
    const auto again = seconds_in(turns->problem, turns->choice, cache);
    ASSERT_TRUE(again.ok());
    EXPECT_NEAR(*again, turns->choice.seconds, 1e-9 * *again);
  }
}

}  // namespace
}  // namespace tessera::synth::test
