// Random changes of layout on machines of levels, most of them relays, on crowds of ranks whose messages come late: the
// same bits as simulated, and no rank waits for ever.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "runtime/transfers/box_pieces.hpp"
#include "synth/planner/list_sends.hpp"
#include "synth/planner/plan.hpp"
#include "synth/planner/text/print_json.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"
#include "tests/synth/moves/relays.hpp"
#include "tests/synth/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::test::Random;
using testing::IsEmpty;

bool lists_sends(const synth::Program& program) {
  return std::ranges::any_of(program.body, [](const synth::Step& step) {
    const auto* apply = std::get_if<synth::Apply>(&step.node);
    const auto* collect = apply == nullptr ? nullptr : std::get_if<synth::Collect>(&apply->operation);
    return collect != nullptr && synth::listed_of(collect->collective) != nullptr;
  });
}

synth::Program program_of_relays(const synth::Plan& plan) {
  Builder builder(print(plan.from.mesh()));
  RegisterId at = builder.apply(synth::Iota{}, {}, plan.from);
  for (const synth::PlanStep& step : plan.steps) {
    at = builder.apply(synth::Collect{carried_out(step, builder.program().registers[at]), 1}, {at}, step.after);
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
    const bool has_relay = std::any_of(plan.steps.begin(), plan.steps.end(), [](const synth::PlanStep& step) {
      return synth::relay_of(step.collective) != nullptr;
    });
    relays += has_relay ? 1 : 0;
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program_of_relays(plan), static_cast<unsigned>(i) + 1),
                IsEmpty())
        << print_json(plan);
  }
  EXPECT_GE(relays, wanted / 5);
}

std::string cut(const synth::Box& box, std::int64_t elements_max) {
  std::string text;
  cut_box(box, elements_max, [&](const synth::Box& part) {
    EXPECT_LE(synth::elements(part), elements_max);
    for (const synth::Interval& side : part) text += fmt::format("{}:{},", side.begin, side.end);
    text.back() = ' ';
  });
  return text;
}

TEST(ExampleOf, BoxPieces) {
  const synth::Box box{{0, 4}, {0, 6}};
  EXPECT_EQ(cut(box, 24), "0:4,0:6 ");
  EXPECT_EQ(cut(box, 12), "0:2,0:6 2:4,0:6 ");
  EXPECT_EQ(cut(box, 4), "0:1,0:3 0:1,3:6 1:2,0:3 1:2,3:6 2:3,0:3 2:3,3:6 3:4,0:3 3:4,3:6 ");
  EXPECT_EQ(cut({{2, 3}, {5, 7}, {1, 4}}, 2), "2:3,5:6,1:2 2:3,5:6,2:4 2:3,6:7,1:2 2:3,6:7,2:4 ");
}

// Messages of several pieces, more than are under way at once.
TEST(RelayCrowd, SendsLongMessagesPieceByPiece) {
  const auto from = type_of("f32[1024@x, 3000]", mesh_of("x:2"));
  const auto to = type_of("f32[1024, 3000@y]", mesh_of("y:2 on 2:4"));
  const synth::Plan plan = synth::test::planned(from, to, {}, {});
  const auto listed = synth::with_sends(plan, {});
  ASSERT_TRUE(listed.ok());
  const synth::Program program = program_of_relays(*listed);
  ASSERT_TRUE(lists_sends(program));
  for (const MemorySharing sharing : {MemorySharing::off, kCrowdSharing})
    EXPECT_THAT(differences({0, 0, 2, 2}, sharing, program, 1), IsEmpty());
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
    const synth::Program program = program_of_relays(*listed);
    followed += lists_sends(program) ? 1 : 0;
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program, static_cast<unsigned>(i) + 1), IsEmpty())
        << print_json(*listed);
  }
  EXPECT_GE(followed, wanted / 2);
}

}  // namespace
}  // namespace tessera::runtime::test
