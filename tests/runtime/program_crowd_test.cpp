// Random sums by programs on crowds of ranks whose messages come late: the same bits as simulated, in the memory that
// was planned; and the simulation adds up in the order of the program.
#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "synth/planner/plan.hpp"
#include "synth/planner/text/print_json.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/sums.hpp"
#include "tests/synth/programs.hpp"

namespace tessera::runtime::test {
namespace {

using synth::test::Random;
using testing::IsEmpty;

TEST(ProgramCrowd, GivesTheSameBitsHoweverLateMessagesCome) {
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 300 : 10'000;
  Random random(12);
  int programs = 0;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const synth::test::RandomSum sum = synth::test::random_sum(random);
    const synth::Plan plan = synth::test::plan_of(sum);
    programs += has_program(plan) ? 1 : 0;
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program_of_sums(plan), static_cast<unsigned>(i) + 1),
                IsEmpty())
        << print_json(plan);
  }
  EXPECT_GE(programs, wanted / 4);
}

// Over more members than are looked at one by one.
TEST(ProgramCrowd, GivesTheSameBitsOfWideSums) {
  Random random(14);
  int programs = 0;
  for (int i = 0; i < 6 && !HasFailure(); ++i) {
    const synth::Plan plan = synth::test::plan_of(synth::test::random_wide_sum(random));
    programs += has_program(plan) ? 1 : 0;
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program_of_sums(plan), static_cast<unsigned>(i) + 1),
                IsEmpty())
        << print_json(plan);
  }
  EXPECT_GE(programs, 3);
}

// Programs that no search would choose: with a step, a form or the stretches changed, and still right.
TEST(ProgramCrowd, CarriesOutAnyProgram) {
  Random random(13);
  int carried_out = 0;
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const synth::test::RandomSum sum = synth::test::random_sum(random);
    synth::Plan plan = synth::test::plan_of(sum);
    for (synth::PlanStep& step : plan.steps) {
      const synth::ReduceProgram* program = synth::program_of(step.collective);
      if (program == nullptr) continue;
      step.collective.recipe = std::make_shared<const synth::ReduceProgram>(synth::test::changed(*program, random));
    }
    const synth::Program program = program_of_sums(plan);
    if (!has_program(plan) || !verify(program).ok()) continue;
    ++carried_out;
    EXPECT_THAT(differences(any_machines(random), kCrowdSharing, program, static_cast<unsigned>(i) + 1), IsEmpty())
        << print(program);
  }
  EXPECT_GE(carried_out, 20);
}

}  // namespace
}  // namespace tessera::runtime::test
