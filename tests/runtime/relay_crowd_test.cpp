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

// `sends`, if given, get those that steps list.
synth::Program program_of_relays(const synth::Plan& plan, ListedByResult* sends = nullptr) {
  Builder builder(print(plan.from.mesh()));
  RegisterId at = builder.apply(synth::Iota{}, {}, plan.from);
  for (const synth::PlanStep& step : plan.steps) {
    const RegisterId next = builder.apply(synth::Collect{step.collective, 1}, {at}, step.after);
    if (sends != nullptr && lists_copies(step, builder.program().registers[at])) (*sends)[next] = step.listed;
    at = next;
  }
  builder.output(at);
  return builder.program();
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
    EXPECT_THAT(differences(any_machines(random), sharing, program_of_relays(plan), static_cast<unsigned>(i) + 1),
                IsEmpty())
        << print_json(plan);
  }
  EXPECT_GE(relays, wanted / 5);
}

// Plans of all planners, whose sends are followed one by one.
TEST(RelayCrowd, FollowsListedSends) {
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 150 : 3'000;
  Random random(12);
  int followed = 0;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const bool crosses = i % 2 == 0;
    const synth::test::RandomChange change =
        crosses ? synth::test::random_change_between(random) : synth::test::random_change(random);
    synth::PlanOptions options;
    if (crosses) options.planner = synth::Planner::alpa;
    const auto plan = synth::plan(change.from, change.to, change.machine, options);
    if (!plan.ok()) continue;  // nothing to send
    const auto listed = synth::with_sends(*plan, change.machine);
    if (!listed.ok()) continue;  // more than are listed
    ListedByResult sends;
    const synth::Program program = program_of_relays(*listed, &sends);
    followed += sends.empty() ? 0 : 1;
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program, static_cast<unsigned>(i) + 1, sends), IsEmpty())
        << print_json(*listed);
  }
  EXPECT_GE(followed, wanted / 2);
}

}  // namespace
}  // namespace tessera::runtime::test
