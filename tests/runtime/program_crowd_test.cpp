// Random sums by programs on crowds of ranks whose messages come late: the same bits as simulated, in the memory that
// was planned; and the simulation adds up in the order of the program.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "synth/redistribute/plan.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"
#include "tests/synth/programs.hpp"

namespace tessera::runtime::test {
namespace {

using synth::test::Random;
using testing::IsEmpty;

synth::ReduceKind kind_of_pending(synth::ReduceOp op) {
  switch (op) {
    case synth::ReduceOp::sum: return synth::ReduceKind::sum;
    case synth::ReduceOp::max: return synth::ReduceKind::max;
    case synth::ReduceOp::min: return synth::ReduceKind::min;
  }
  return synth::ReduceKind::sum;
}

// Numbers of its own for every device of a group, as a dimension more, which it then has to itself: pending.
RegisterId parts_of(Builder& builder, const synth::ArrayType& pending) {
  const synth::AxisList& axes = pending.layout().pending();
  synth::Shape shape{synth::shard_count(axes)};
  std::vector<synth::AxisList> splits{axes};
  for (std::size_t d = 0; d < pending.rank(); ++d) {
    shape.push_back(pending.shape()[d]);
    splits.push_back(pending.layout().split(d));
  }
  const auto layout = synth::Layout::make(pending.mesh(), splits, {}, synth::ReduceOp::sum);
  const auto type = synth::ArrayType::make(pending.element(), shape, pending.mesh_ref(), *layout);
  const bool floats = pending.element() == synth::ElementType::f32;
  const RegisterId all =
      floats ? builder.apply(synth::Random{}, {builder.number(7)}, *type) : builder.apply(synth::Iota{}, {}, *type);
  return builder.apply(synth::Reduce{kind_of_pending(pending.layout().reduce()), {0}}, {all}, pending);
}

synth::Program program_of_sums(const synth::Plan& plan) {
  Builder builder(print(plan.from.mesh()));
  RegisterId at = parts_of(builder, plan.from);
  for (const synth::PlanStep& step : plan.steps)
    at = builder.apply(synth::Collect{step.collective, 1}, {at}, step.after);
  builder.output(at);
  return std::move(builder.program());
}

bool has_program(const synth::Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const synth::PlanStep& step) { return step.collective.program != nullptr; });
}

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

// Programs that no search would choose: with a step, a form or the stretches changed, and still right.
TEST(ProgramCrowd, CarriesOutAnyProgram) {
  Random random(13);
  int carried_out = 0;
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const synth::test::RandomSum sum = synth::test::random_sum(random);
    synth::Plan plan = synth::test::plan_of(sum);
    for (synth::PlanStep& step : plan.steps) {
      if (step.collective.program == nullptr) continue;
      step.collective.program =
          std::make_shared<const synth::ReduceProgram>(synth::test::changed(*step.collective.program, random));
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
