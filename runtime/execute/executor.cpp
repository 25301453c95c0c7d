#include "runtime/execute/executor.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "base/check.hpp"
#include "runtime/execute/effects.hpp"
#include "runtime/execute/section_tiles.hpp"
#include "runtime/execute/stopping.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/chains.hpp"
#include "runtime/memory/sections.hpp"
#include "synth/program/running.hpp"

namespace tessera::runtime {

namespace {

template <class T, class... Kinds>
constexpr bool one_of = (std::same_as<T, Kinds> || ...);

template <class T>
constexpr bool is_effect = one_of<T, synth::PrintText, synth::Print, synth::Show, synth::Save, synth::Assert>;

// Failures name the step they come from, the innermost first.
base::Status from_step(base::Status status, std::uint32_t origin) {
  if (status.ok()) return status;
  base::Diagnostics why = std::move(status).errors();
  for (base::Diagnostic& diagnostic : why) {
    if (!diagnostic.origin) diagnostic.origin = origin;
  }
  return why;
}

}  // namespace

Executor::Executor(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan, Team& team,
                   Parts parts, const std::vector<Value>& inputs, const World& world, Engine& engine)
    : program_(program),
      plan_(plan),
      world_(world),
      engine_(engine),
      team_(team),
      storage_(program, tiles, plan, team, std::move(parts), inputs, engine),
      host_copies_(engine, storage_),
      payload_(tiles, plan, program.inputs),
      peak_bytes_(payload_.largest()),
      progress_{0, static_cast<std::int64_t>(program.body.size()), 0},
      costs_(world.clock, team) {
  is_marked_ = !engine.is_host() && (world.trace || world.engine_times);
  if (world.trace) tracer_ = std::make_unique<Tracer>(program, team, world.trace);
  if (world.throttle) throttle_.emplace(world.machine, storage_.ranks().devices(), team);
}

base::Status Executor::run() {
  TESSERA_TRY_STATUS(run_stoppable(world_.stop, [&](const BeginWatch& watch) {
    begin_watch_ = &watch;
    base::Status status = run_body(program_.body, plan_.body);
    // Whatever the engine has found wrong since it was asked last came before.
    base::Status all_done = engine_.wait();
    base::Status settled = settle_times();
    if (!all_done.ok()) return all_done;
    return status.ok() ? settled : status;
  }));
  // A step that was given up has left nonsense behind.
  if (stop_asked(world_.stop)) return base::make(base::Kind::interrupted);
  return base::Done{};
}

// Now, for whoever asks for times.
base::Result<Costs::Moment> Executor::moment() {
  Costs::Moment now = costs_.now();
  if (is_marked_) {
    TESSERA_TRY(mark, engine_.mark());
    now.mark = mark;
  }
  return now;
}

// What engines that work later say of their moments.
base::Status Executor::settle_times() {
  if (!is_marked_) return base::Done{};
  std::map<std::int64_t, std::vector<double>> known;
  base::Status failed = base::Done{};
  const auto seconds_at = [&](std::int64_t mark, std::size_t place) {
    const auto found = known.find(mark);
    if (found != known.end()) return found->second[place];
    auto seconds = failed.ok() ? engine_.marked(mark) : base::Result<std::vector<double>>(failed.errors());
    if (!seconds.ok()) failed = seconds.errors();
    const std::vector<double> none(static_cast<std::size_t>(engine_.places()));
    return known.emplace(mark, seconds.ok() ? *seconds : none).first->second[place];
  };
  // A step is over when the last place has done its part.
  costs_.settle([&](std::int64_t mark) {
    double last = 0;
    for (std::size_t place = 0; place < static_cast<std::size_t>(engine_.places()); ++place)
      last = std::max(last, seconds_at(mark, place));
    return last;
  });
  if (tracer_ == nullptr) return failed;
  tracer_->settle([&](std::int64_t mark, std::int64_t device) {
    return seconds_at(mark, static_cast<std::size_t>(storage_.ranks().place(device, engine_.places())));
  });
  return failed;
}

void Executor::tell_progress(const synth::Body& body, std::size_t step) {
  if (!world_.progress) return;
  if (&body == &program_.body) progress_.step = static_cast<std::int64_t>(step) + 1;
  world_.progress(progress_);
}

base::Status Executor::may_take(std::span<const synth::Step> steps) {
  if (stop_asked(world_.stop)) return base::make(base::Kind::interrupted);
  steps_taken_ += std::ssize(steps);
  if (world_.steps_max > 0 && steps_taken_ > world_.steps_max)
    return base::make(Kind::too_many_steps, world_.steps_max);
  return base::Done{};
}

base::Status Executor::run_body(const synth::Body& body, const BodyPlan& plan) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    const synth::Step& step = body[i];
    const std::size_t chain_end = plan.steps[i].chain_end;
    const std::size_t end = chain_end > 0 ? chain_end : team_.alone() ? i + 1 : synth::company_end(body, i);
    const std::span steps(&step, end - i);
    origin_ = step.origin;
    TESSERA_TRY_STATUS(from_step(may_take(steps), step.origin));
    TESSERA_TRY_STATUS(from_step(team_.begin_step(), step.origin));
    if (borders_ != nullptr) TESSERA_TRY_STATUS(from_step(team_.advance_beside(), step.origin));
    tell_progress(body, i);
    for (std::size_t k = i; k < end; ++k) payload_.add(plan.steps[k].born);
    const std::int64_t alive = payload_.largest(plan.steps[i]);
    peak_bytes_ = std::max(peak_bytes_, alive);
    OriginStatistics& statistics = costs_.of(step.origin);
    statistics.peak_bytes = std::max(statistics.peak_bytes, alive);
    if (!is_watched_ &&
        std::any_of(steps.begin(), steps.end(), [&](const synth::Step& each) { return may_be_long(each); })) {
      (*begin_watch_)();
      is_watched_ = true;
    }
    if (chain_end > 0 && plan.steps[i].has_edges) TESSERA_TRY_STATUS(take_edges(steps));
    TESSERA_TRY_STATUS(take_watched(steps, plan.steps[i]));
    for (const synth::Step& taken : steps) note_known(taken);
    for (std::size_t k = i; k < end; ++k) payload_.remove(plan.steps[k].dies);
    i = end - 1;
  }
  return base::Done{};
}

// Steps on little data end before anybody could stop them; but a contraction of little may be long.
bool Executor::may_be_long(const synth::Step& step) const {
  constexpr std::int64_t kBytes = std::int64_t{1} << 20U;
  constexpr std::int64_t kContractedBytes = std::int64_t{8} << 10U;
  const auto* const apply = std::get_if<synth::Apply>(&step.node);
  if (apply == nullptr) return false;  // its body's steps are asked
  std::int64_t bytes = 0;
  for (const synth::RegisterId id : apply->results) bytes += storage_.tiles(id).bytes_total;
  for (const synth::RegisterId id : apply->operands) bytes += storage_.tiles(id).bytes_total;
  const bool contracts = std::holds_alternative<synth::Contract>(apply->operation);
  return bytes > (contracts ? kContractedBytes : kBytes) || (contracts && apply->operands.size() > 2);
}

// The step may be timed and shown.
base::Status Executor::take_watched(std::span<const synth::Step> steps, const StepPlan& plan) {
  const auto take_these = [&] {
    if (throttle_) return take_throttled(steps, plan);
    return tracer_ == nullptr ? take(steps, plan) : take_traced(steps, plan);
  };
  origin_ = steps[0].origin;
  return from_step(base::guarded(take_these), steps[0].origin);
}

// The windows of a chain with edges get these before it begins.
base::Status Executor::take_edges(std::span<const synth::Step> chain) {
  for (const synth::Step& step : chain) {
    if (has_edges(std::get<synth::Apply>(step.node))) TESSERA_TRY_STATUS(take_watched({&step, 1}, StepPlan{}));
  }
  return base::Done{};
}

base::Status Executor::take(std::span<const synth::Step> steps, const StepPlan& plan) {
  if (plan.chain_end > 0) return run_chain_of(steps, plan);
  if (steps.size() > 1) return relay_together(steps, plan);
  return std::visit([&](const auto& node) { return run_node(steps[0], plan, node); }, steps[0].node);
}

// Steps that move data join the clocks of devices, all others advance them.
base::Status Executor::take_throttled(std::span<const synth::Step> steps, const StepPlan& plan) {
  const auto take_it = [&] { return tracer_ == nullptr ? take(steps, plan) : take_traced(steps, plan); };
  const auto* const apply = std::get_if<synth::Apply>(&steps.back().node);
  if (apply == nullptr || apply->results.empty()) return take_it();  // a loop's steps are seen by themselves
  const synth::RegisterId result = apply->results[0];
  if (std::holds_alternative<synth::Collect>(apply->operation)) {
    TESSERA_TRY_STATUS(take_it());
    for (const synth::Step& step : steps) {  // more than one: relays that went on at once
      const auto& each = std::get<synth::Apply>(step.node);
      throttle_->joined(std::get<synth::Collect>(each.operation).collective, storage_.type(each.operands[0]),
                        storage_.type(each.results[0]));
    }
    return base::Done{};
  }
  throttle_->begin(storage_.block(result), steps.size() == 1);
  TESSERA_TRY_STATUS(take_it());
  throttle_->end(storage_.tiles(result));
  if (const auto running = synth::running_of(apply->operation)) throttle_->carried(storage_.type(result), *running);
  if (std::holds_alternative<synth::Take>(apply->operation))
    throttle_->requested(storage_.type(apply->operands[0]), storage_.type(apply->operands[1]), storage_.type(result));
  if (std::holds_alternative<synth::ScatterAdd>(apply->operation))
    throttle_->delivered(storage_.type(apply->operands[0]), storage_.type(apply->operands[1]), storage_.type(result));
  if (const auto* sort = std::get_if<synth::Sort>(&apply->operation))
    throttle_->cut(storage_.type(apply->operands[0]), *sort);
  if (std::holds_alternative<synth::Assemble>(apply->operation))
    throttle_->joined(storage_.type(result), received_bytes_);
  return base::Done{};
}

// Loops and branches are seen in their steps. A step without arrays belongs to no device.
base::Status Executor::take_traced(std::span<const synth::Step> steps, const StepPlan& plan) {
  const auto* const apply = std::get_if<synth::Apply>(&steps.back().node);
  if (apply == nullptr || (apply->results.empty() && apply->operands.empty())) return take(steps, plan);
  const synth::RegisterId shown = apply->results.empty() ? apply->operands[0] : apply->results[0];
  TESSERA_TRY(begin, moment());
  tracer_->begin(steps, storage_.block(shown), storage_.type(shown).mesh_ref(), begin.mark);
  base::Status status = take(steps, plan);
  // A GPU that is lost has no moments any more.
  const auto end = moment();
  tracer_->end(steps, payload_, plan, !status.ok() || stop_asked(world_.stop), end.ok() ? end->mark : begin.mark);
  return status.ok() && !end.ok() ? end.errors() : status;
}

base::Status Executor::run_node(const synth::Step& step, const StepPlan& plan, const synth::Apply& apply) {
  received_bytes_ = 0;
  counts_apart_ = false;
  TESSERA_TRY(begin, moment());
  TESSERA_TRY_STATUS(run_operation_of(apply, plan));
  TESSERA_TRY(end, moment());
  OriginStatistics& statistics = costs_.of(step.origin);
  costs_.add_time(statistics, begin, end, received_bytes_ > 0);
  if (counts_apart_) {
    costs_.count_apart(step.origin, received_bytes_);
  } else {
    if (received_bytes_ > 0) ++statistics.steps;
    statistics.received_bytes += received_bytes_;
  }
  progress_.received_bytes += received_bytes_;
  return base::Done{};
}

base::Status Executor::run_chain_of(std::span<const synth::Step> steps, const StepPlan& plan) {
  TESSERA_TRY(begin, moment());
  for (const synth::Step& step : steps) {
    const auto& apply = std::get<synth::Apply>(step.node);
    if (std::holds_alternative<synth::Constant>(apply.operation))
      TESSERA_TRY_STATUS(run_operation_of(apply, StepPlan{}));
    else if (is_view(apply))
      TESSERA_TRY_STATUS(from_step(begin_window(apply), step.origin));
  }
  for (const BegunResult& begun : plan.begins) TESSERA_TRY_STATUS(lay_around_part(begun));
  TESSERA_TRY_STATUS(take_chain(steps, plan));
  TESSERA_TRY(end, moment());
  costs_.add_time(costs_.of(steps[0].origin), begin, end, false);
  return base::Done{};
}

base::Status Executor::begin_window(const synth::Apply& apply) {
  const synth::RegisterId window = apply.results[0];
  if (!plan_[window].moves || needed_room_ != nullptr) return base::Done{};
  TESSERA_TRY(offset, part_offset(apply, std::get<synth::Assemble>(apply.operation).parts[0]));
  synth::Shape begin;
  for (const synth::Shift& shift : offset) begin.push_back(shift.offset);
  storage_.begin_at(window, begin);
  return base::Done{};
}

// Its constants are there.
base::Status Executor::take_chain(std::span<const synth::Step> steps, const StepPlan& plan) {
  if (plan.has_edges) return take_by_sections(steps, plan.chain_lead);
  std::unique_ptr<KeptChain>* const kept = loops_ > 0 ? &chains_[&steps[0]] : nullptr;
  const ChainStep chain{steps, plan.chain_lead, plan_, storage_, kept};
  return take_chains({&chain, 1});
}

struct Executor::SectionedChain {
  std::vector<SectionTiles> sections;
  std::vector<std::unique_ptr<KeptChain>> kept;  // of every section
};

base::Status Executor::take_by_sections(std::span<const synth::Step> steps, std::size_t lead) {
  std::shared_ptr<SectionedChain> once;
  std::shared_ptr<SectionedChain>& made = loops_ > 0 ? sectioned_[&steps[0]] : once;
  if (made == nullptr) made = std::make_shared<SectionedChain>();
  SectionedChain& chain = *made;
  if (chain.sections.empty()) {
    const auto found = find_sections(program_, steps, lead, storage_.all_tiles(), plan_);
    TESSERA_CHECK(found.has_value(), "a chain reads edges and has no sections");
    chain.sections = tiles_of_sections(storage_, *found);
    chain.kept.resize(chain.sections.size());
  }
  std::vector<ChainStep> all;
  for (std::size_t k = 0; k < chain.sections.size(); ++k)
    all.push_back({steps, lead, plan_, chain.sections[k], loops_ > 0 ? &chain.kept[k] : nullptr});
  return take_chains(all);
}

// Chains of the same steps: those that the engine does not take are all taken on one copy of what they read and write.
base::Status Executor::take_chains(std::span<const ChainStep> chains) {
  const auto take_all = [&]() -> base::Status {
    for (const ChainStep& chain : chains) TESSERA_TRY_STATUS(storage_.engine().take(chain));
    return base::Done{};
  };
  const auto is_taken = [&](const ChainStep& chain) { return storage_.engine().takes(chain); };
  if (std::all_of(chains.begin(), chains.end(), is_taken)) {
    return needed_room_ == nullptr ? take_all() : note_room(chains);
  }
  std::vector<const synth::Apply*> applies;
  for (const synth::Step& step : chains[0].steps) {
    const auto& apply = std::get<synth::Apply>(step.node);
    if (is_computed(apply)) applies.push_back(&apply);  // constants are there, and reshapes are views
  }
  return on_host(applies, StepPlan{}, take_all);
}

// What every device does on its own tiles.
base::Status Executor::take_local(const synth::Apply& apply, const StepPlan& plan) {
  const LocalStep step{program_, storage_,       apply,   plan.beside_offset,
                       {},       device_times(), origin_, world_.ordered_products};
  if (needed_room_ != nullptr) return note_room(step);
  return storage_.engine().is_host() ? storage_.engine().take(step) : take_far(step, plan);
}

base::Status Executor::lay(const synth::Apply& apply, const synth::Lay& lay, const StepPlan& plan) {
  TESSERA_TRY(starts, starts_of(apply, lay));
  const LocalStep step{program_, storage_, apply, 0, starts, device_times(), origin_};
  return storage_.engine().is_host() ? storage_.engine().take(step) : take_far(step, plan);
}

base::Status Executor::make_constant(const synth::Apply& apply, const synth::Constant& constant, const StepPlan& plan) {
  if (!storage_.engine().is_host()) return take_local(apply, plan);
  TESSERA_TRY(is_kept, keep_constant(apply.results[0], program_.literals[constant.literal]));
  return is_kept ? base::Status(base::Done{}) : take_local(apply, plan);
}

base::Status Executor::run_operation_of(const synth::Apply& apply, const StepPlan& plan) {
  if (!apply.results.empty() && is_view(apply)) return begin_window(apply);
  return std::visit(
      [&](const auto& operation) -> base::Status {
        using T = std::remove_cvref_t<decltype(operation)>;
        if constexpr (one_of<T, synth::Save, synth::Assert>) {
          if (world_.on_paper) return base::Done{};
        }
        if constexpr (is_effect<T>)
          return run_to_the_end(
              [&] { return run_effect(EffectStep{program_, storage_, world_, apply, output_bytes_}, operation); });
        else if constexpr (std::same_as<T, synth::Constant>)
          return make_constant(apply, operation, plan);
        else if constexpr (std::same_as<T, synth::Load>)
          return on_host(apply, plan, [&] { return load(apply, operation); });
        else if constexpr (std::same_as<T, synth::Collect>)
          return collect(apply, operation, plan);
        else if constexpr (std::same_as<T, synth::Assemble>)
          return assemble(apply, operation, plan);
        else if constexpr (one_of<T, synth::Scan, synth::Recur>)
          return run_along(apply, operation, plan);
        else if constexpr (std::same_as<T, synth::Sort>)
          return run_sort(apply, operation, plan);
        else if constexpr (std::same_as<T, synth::Take>)
          return run_take(apply, plan);
        else if constexpr (std::same_as<T, synth::ScatterAdd>)
          return run_scatter_add(apply, plan);
        else if constexpr (std::same_as<T, synth::Lay>)
          return lay(apply, operation, plan);
        else
          return take_local(apply, plan);
      },
      apply.operation);
}

}  // namespace tessera::runtime
