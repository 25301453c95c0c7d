// Pipelines: which place a value has for which microbatch, visits in their order, and what is said of one that fails.
#include <algorithm>
#include <utility>

#include "runtime/execute/executor.hpp"
#include "runtime/execute/stopping.hpp"
#include "runtime/execute/turns.hpp"
#include "runtime/kinds.hpp"
#include "runtime/ranks/beside.hpp"

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

// Is it of no use to begin again?
bool ends_run(const base::Diagnostics& why) {
  return std::any_of(why.begin(), why.end(), [](const base::Diagnostic& one) {
    return one.kind == base::Kind::interrupted || one.kind == Kind::mpi_failed || one.kind == Kind::peer_lost;
  });
}

}  // namespace

// A pipeline that fails is taken again in the order of the loop, so that the same failure is reported whatever the
// schedule: in another order another rank may fail first. A pipeline inside a visit of another one has no borders, and
// is taken in that order at once.
base::Status Executor::run_node(const synth::Step&, const StepPlan& plan, const synth::Pipeline& pipeline) {
  const std::int64_t outer = microbatch_;
  const std::int64_t outer_visit = visit_;
  const bool is_inner = in_pipeline_;
  in_pipeline_ = true;
  ++loops_;
  const std::int64_t steps_before = steps_taken_;
  base::Status status =
      is_inner ? take_visits(pipeline, plan, order_of_loop(pipeline)) : take_all(pipeline, plan, pipeline.order);
  if (!is_inner && !status.ok() && !ends_run(status.errors())) {
    steps_taken_ = steps_before;
    base::Status again = take_all(pipeline, plan, order_of_loop(pipeline));
    if (!again.ok()) status = std::move(again);
  }
  --loops_;
  in_pipeline_ = is_inner;
  enter(outer_visit, outer);
  return status;
}

base::Status Executor::take_all(const synth::Pipeline& pipeline, const StepPlan& plan,
                                const std::vector<std::uint32_t>& order) {
  host_copies_.forget();
  if (team_.alone()) return base::guarded([&] { return take_visits(pipeline, plan, order); });
  base::Status status = base::guarded([&]() -> base::Status {
    Borders borders(team_, storage_, crossings(pipeline, order));
    borders_ = &borders;
    const MessagesBeside beside(team_);
    TESSERA_TRY_STATUS(borders.offer());
    TESSERA_TRY_STATUS(take_visits(pipeline, plan, order));
    return borders.finish();
  });
  borders_ = nullptr;
  const auto agreed = team_.agree(std::move(status), {});
  if (!agreed.ok() && ends_run(agreed.errors())) return agreed.errors();
  // From now on a rank's word on a failure must not be wiped out by another that is still about to end the run.
  if (const auto met = team_.agree(base::Done{}, {}); !met.ok()) return met.errors();
  team_.begin_run(world_.stop);
  if (!agreed.ok()) return agreed.errors();
  return base::Done{};
}

bool Executor::is_border(synth::RegisterId from, synth::RegisterId to) const {
  return !plan_[to].microbatch_offsets.empty() && storage_.type(from).mesh() != storage_.type(to).mesh();
}

// Steps inside loops and branches of a visit stay on one mesh, so only the visit's own steps are looked at.
std::vector<Borders::Crossing> Executor::crossings(const synth::Pipeline& pipeline,
                                                   const std::vector<std::uint32_t>& order) const {
  std::vector<std::vector<Borders::Crossing>> of_visit(pipeline.visits.size());
  for (std::size_t visit = 0; visit < of_visit.size(); ++visit) {
    for (const synth::Step& step : pipeline.visits[visit]) {
      const auto* const apply = std::get_if<synth::Apply>(&step.node);
      if (apply == nullptr || !std::holds_alternative<synth::Collect>(apply->operation)) continue;
      const synth::RegisterId from = apply->operands[0];
      const synth::RegisterId to = apply->results[0];
      if (is_border(from, to)) of_visit[visit].push_back({from, to, 0, plan_[to].microbatch_offsets.size()});
    }
  }
  std::vector<Borders::Crossing> all;
  for (const std::uint32_t visit : order) {
    for (Borders::Crossing& crossing : of_visit[visit]) {
      all.push_back(crossing);
      ++crossing.microbatch;
    }
  }
  return all;
}

base::Status Executor::take_visits(const synth::Pipeline& pipeline, const StepPlan& plan,
                                   const std::vector<std::uint32_t>& order) {
  for (std::size_t k = 0; k < pipeline.parameters.size(); ++k) {
    storage_.alias(pipeline.parameters[k], pipeline.initial[k]);
    if (pipeline.count > 0) continue;
    TESSERA_TRY_STATUS(copy_to(pipeline.initial[k], pipeline.results[k], storage_.offset(pipeline.results[k])));
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
  TESSERA_TRY_STATUS(begin_visit(pipeline, plan, visit, microbatch));
  for (const synth::RegisterId id : plan.turning[visit]) {
    if (borders_ != nullptr) TESSERA_TRY_STATUS(borders_->take(id, microbatch));
    recall(id, microbatch);
  }
  TESSERA_TRY_STATUS(run_body(pipeline.visits[visit], plan.bodies[visit]));
  for (const synth::RegisterId id : plan.turning[visit]) remember(id, microbatch);
  const bool to_result = writes_result_place(microbatch, pipeline.count);
  for (std::size_t k = 0; k < pipeline.next.size(); ++k) {
    const bool is_written = plan_[pipeline.next[k]].written_to == pipeline.results[k];
    if (pipeline.carried_by[k] != visit || is_written) continue;
    const std::int64_t there = to_result ? storage_.offset(pipeline.results[k]) : plan_[pipeline.parameters[k]].offset;
    TESSERA_TRY_STATUS(copy_to(pipeline.next[k], pipeline.results[k], there));
  }
  return storage_.engine().turn_ends();
}

// A scalar that every rank knows, on ranks without devices of its mesh.
void Executor::remember(synth::RegisterId id, std::int64_t microbatch) {
  if (!storage_.knows_itself(id)) return;
  const std::byte* const value = storage_.own_scalar(id).data;
  const auto buffer = microbatch % std::ssize(plan_[id].microbatch_offsets);
  std::copy_n(value, sizeof(std::int64_t), known_scalars_[{id, buffer}].begin());
}
void Executor::recall(synth::RegisterId id, std::int64_t microbatch) {
  if (!storage_.knows_itself(id)) return;
  const auto known = known_scalars_.find({id, microbatch % std::ssize(plan_[id].microbatch_offsets)});
  if (known != known_scalars_.end())
    std::copy(known->second.begin(), known->second.end(), storage_.own_scalar(id).data);
}

base::Status Executor::send_over_border(synth::RegisterId from, synth::RegisterId to) {
  auto known = slots_.find(to);
  if (known == slots_.end()) {
    const synth::ArrayType& type = storage_.type(to);
    Slots made{received_by(synth::CopyWalk(storage_.type(from), type), type), nullptr, nullptr};
    known = slots_.emplace(to, std::move(made)).first;
  }
  count_received(known->second.received);
  return borders_->send(from, to, microbatch_);
}

void Executor::enter(std::int64_t visit, std::int64_t microbatch) {
  visit_ = visit;
  microbatch_ = microbatch;
  if (tracer_ != nullptr) tracer_->enter(visit, microbatch);
}

base::Status Executor::begin_visit(const synth::Pipeline& pipeline, const StepPlan& plan, std::uint32_t visit,
                                   std::int64_t microbatch) {
  enter(visit, microbatch);
  for (const synth::RegisterId index : pipeline.indices) TESSERA_TRY_STATUS(write_index(index, microbatch));
  for (const synth::RegisterId id : plan.turning[visit]) {
    const std::vector<std::int64_t>& offsets = plan_[id].microbatch_offsets;
    storage_.move_to(id, offsets[static_cast<std::size_t>(microbatch) % offsets.size()]);
  }
  const bool to_result = writes_result_place(microbatch, pipeline.count);
  for (std::size_t k = 0; k < pipeline.next.size(); ++k) {
    if (pipeline.carried_by[k] != visit) continue;
    const std::int64_t of_parameter = plan_[pipeline.parameters[k]].offset;
    const std::int64_t of_result = storage_.offset(pipeline.results[k]);
    if (microbatch > 0) storage_.move_to(pipeline.parameters[k], to_result ? of_parameter : of_result);
    if (plan_[pipeline.next[k]].written_to == pipeline.results[k])
      storage_.move_to(pipeline.next[k], to_result ? of_result : of_parameter);
  }
  return base::Done{};
}

}  // namespace tessera::runtime
