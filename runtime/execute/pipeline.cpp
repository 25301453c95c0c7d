// Pipelines: which place a value has for which microbatch, visits in their order, and what is said of one that fails.
#include <algorithm>
#include <utility>

#include "runtime/execute/executor.hpp"
#include "runtime/execute/rounds.hpp"
#include "runtime/execute/stopping.hpp"

namespace tessera::runtime {

namespace {

// All visits of a microbatch before those of the next: the order of the loop that the pipeline is.
std::vector<std::uint32_t> order_of_loop(const synth::Pipeline& pipeline) {
  std::vector<std::uint32_t> order;
  for (std::int64_t k = 0; k < pipeline.count; ++k) {
    for (std::uint32_t v = 0; v < pipeline.visits.size(); ++v) order.push_back(v);
  }
  return order;
}

bool is_interrupted(const base::Diagnostics& why) {
  return std::any_of(why.begin(), why.end(),
                     [](const base::Diagnostic& one) { return one.kind.slug == base::Kind::interrupted.slug; });
}

}  // namespace

base::Status Executor::run_node(const synth::Step&, const StepPlan& plan, const synth::Pipeline& pipeline) {
  ++loops_;
  const std::int64_t steps_before = steps_taken_;
  base::Status status = take_visits(pipeline, plan, pipeline.order);
  if (!status.ok() && !is_interrupted(status.errors())) {
    steps_taken_ = steps_before;
    base::Status again = take_visits(pipeline, plan, order_of_loop(pipeline));
    if (!again.ok()) status = std::move(again);
  }
  --loops_;
  return status;
}

base::Status Executor::take_visits(const synth::Pipeline& pipeline, const StepPlan& plan,
                                   const std::vector<std::uint32_t>& order) {
  for (std::size_t k = 0; k < pipeline.parameters.size(); ++k) {
    storage_.alias(pipeline.parameters[k], pipeline.initial[k]);
    if (pipeline.count < 1) copy_to(pipeline.initial[k], pipeline.results[k], storage_.offset(pipeline.results[k]));
  }
  std::vector<std::int64_t> taken(pipeline.visits.size(), 0);
  for (const std::uint32_t visit : order) {
    if (stop_asked(world_.stop)) return base::make(base::Kind::interrupted);
    TESSERA_TRY_STATUS(take_visit(pipeline, plan, visit, taken[visit]++));
  }
  return base::Done{};
}

base::Status Executor::take_visit(const synth::Pipeline& pipeline, const StepPlan& plan, std::uint32_t visit,
                                  std::int64_t microbatch) {
  begin_visit(pipeline, plan, visit, microbatch);
  TESSERA_TRY_STATUS(run_body(pipeline.visits[visit], plan.bodies[visit]));
  const bool to_result = writes_result_place(microbatch, pipeline.count);
  for (std::size_t k = 0; k < pipeline.next.size(); ++k) {
    const bool is_written = plan_[pipeline.next[k]].direct && is_first(pipeline.next, k);
    if (pipeline.carried_by[k] != visit || is_written) continue;
    const std::int64_t there =
        to_result ? storage_.offset(pipeline.results[k]) : plan_[pipeline.parameters[k]].offset;
    copy_to(pipeline.next[k], pipeline.results[k], there);
  }
  return base::Done{};
}

void Executor::begin_visit(const synth::Pipeline& pipeline, const StepPlan& plan, std::uint32_t visit,
                           std::int64_t microbatch) {
  for (const synth::RegisterId index : pipeline.indices) write_index(index, microbatch);
  for (const synth::RegisterId id : plan.turning[visit]) {
    const std::vector<std::int64_t>& turns = plan_[id].turns;
    storage_.move_to(id, turns[static_cast<std::size_t>(microbatch) % turns.size()]);
  }
  const bool to_result = writes_result_place(microbatch, pipeline.count);
  for (std::size_t k = 0; k < pipeline.next.size(); ++k) {
    if (pipeline.carried_by[k] != visit) continue;
    const std::int64_t of_parameter = plan_[pipeline.parameters[k]].offset;
    const std::int64_t of_result = storage_.offset(pipeline.results[k]);
    if (microbatch > 0) storage_.move_to(pipeline.parameters[k], to_result ? of_parameter : of_result);
    if (plan_[pipeline.next[k]].direct && is_first(pipeline.next, k))
      storage_.move_to(pipeline.next[k], to_result ? of_result : of_parameter);
  }
}

}  // namespace tessera::runtime
