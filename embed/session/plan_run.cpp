// Running a plan by itself: an array through its steps.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "embed/arrays/array_impl.hpp"
#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/plan_impl.hpp"
#include "embed/session/session_impl.hpp"
#include "runtime/execute/run.hpp"

namespace tessera {

namespace {

// The plan as a program that gives back the array after each step.
synth::Program as_program(const synth::Plan& plan) {
  synth::Program program;
  synth::RegisterId array = program.registers.add(plan.from);
  program.inputs = {array};
  for (const synth::PlanStep& step : plan.steps) {
    const synth::RegisterId next = program.registers.add(step.after);
    synth::Collect collect{synth::carried_out(step, program.registers[array])};
    program.body.push_back(synth::Step{0, synth::Apply{std::move(collect), {array}, {next}}});
    program.outputs.push_back(next);
    array = next;
  }
  return program;
}

Array array_of(runtime::Value value) {
  std::string type = synth::print(value.type());
  return Array(std::make_shared<const Array::Impl>("it", std::move(type), std::move(value)));
}

}  // namespace

Result<PlanRun> Session::run(const Plan& plan, const Array& source) {
  const embed::Entry entry(impl_->busy);
  if (!entry.alone()) return embed::session_is_busy();
  impl_->begin_work();
  return embed::safely([&]() -> Result<PlanRun> {
    const synth::Plan& steps = *plan.impl_->plan;
    const runtime::Value& value = source.impl_->value;
    if (!steps.verified) return embed::bad_call("the plan does not verify (`PlanVerdict::fault` says why)");
    if (!synth::same_type(value.type(), steps.from)) {
      return embed::failure(base::make(embed::Kind::bad_call, fmt::format("the plan begins with {}, not with {}",
                                                                          plan.from(), synth::print(value.type()))));
    }
    auto outcome = runtime::run(as_program(steps), {value}, impl_->world());
    if (!outcome) return embed::to_public({}, outcome.errors());
    PlanRun result;
    for (runtime::Value& after : outcome->outputs) result.after.push_back(array_of(std::move(after)));
    for (const runtime::OriginStatistics& statistics : outcome->statistics) result.seconds += statistics.seconds;
    return result;
  });
}

}  // namespace tessera
