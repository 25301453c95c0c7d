// Random changes of layout on machines of levels, most of them relays, on crowds of ranks whose messages come late: the
// same bits as simulated, and no rank waits for ever.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "synth/redistribute/plan.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"
#include "tests/synth/relays.hpp"
#include "tests/synth/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::test::Random;
using testing::IsEmpty;

// Ranks of a machine need not follow each other.
Machines random_crowd(Random& random) {
  Machines labels;
  const std::size_t ranks = 2 + random.below(7);
  for (std::size_t rank = 0; rank < ranks; ++rank) labels.push_back(static_cast<int>(random.below(4)));
  Machines machines;
  for (const int label : labels)
    machines.push_back(static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin()));
  return machines;
}

synth::Program moving_program(const synth::Plan& plan) {
  Builder builder(print(plan.from.mesh()));
  RegisterId at = builder.apply(synth::Iota{}, {}, plan.from);
  for (const synth::PlanStep& step : plan.steps)
    at = builder.apply(synth::Collect{step.collective, 1}, {at}, step.after);
  builder.output(at);
  return builder.program();
}

std::string other_tile(const Value& mine, const Value& simulated) {
  for (std::int64_t device = 0; device < mine.type().devices(); ++device) {
    if (mine.has_device(device) && !std::ranges::equal(mine.tile(device), simulated.tile(device)))
      return fmt::format("another tile of device {}", device);
  }
  return "";
}

std::vector<std::string> late_differences(const Machines& machines, MemorySharing sharing,
                                          const synth::Program& program, unsigned delays) {
  const Outcome simulated = run_well(program);
  const auto run_it = [&](const std::shared_ptr<Team>& team) -> std::string {
    World world;
    world.team = team;
    const auto outcome = run(program, {}, world);
    if (!outcome.ok()) return outcome.errors()[0].message;
    return other_tile(outcome->outputs.at(0), simulated.outputs.at(0));
  };
  return in_crowd(machines, sharing, run_it, nullptr, delays);
}

TEST(RelayCrowd, GivesTheSameBitsHoweverLateMessagesCome) {
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 300 : 10'000;
  Random random(11);
  int relays = 0;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const bool crosses = i % 3 == 0;  // from mesh to mesh
    const synth::test::RandomChange change =
        crosses ? synth::test::random_change_between(random) : synth::test::random_change(random);
    const synth::Plan plan = synth::test::planned(change.from, change.to, {}, change.machine);
    const bool has_relay = std::any_of(plan.steps.begin(), plan.steps.end(),
                                       [](const synth::PlanStep& step) { return step.collective.relay != nullptr; });
    relays += has_relay ? 1 : 0;
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(late_differences(random_crowd(random), sharing, moving_program(plan), static_cast<unsigned>(i) + 1),
                IsEmpty())
        << print_json(plan);
  }
  EXPECT_GE(relays, wanted / 5);
}

}  // namespace
}  // namespace tessera::runtime::test
