#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/session/lost_values.hpp"
#include "embed/session/session_impl.hpp"
#include "embed/session/statistics.hpp"
#include "embed/session/trace.hpp"
#include "runtime/execute/run.hpp"
#include "runtime/ranks/texts.hpp"
#include "runtime/values/move_value.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera {

runtime::World Session::Impl::world() const {
  runtime::World result;
  if (team.ok()) result.team = *team;
  result.output = config->output ? config->output : [](std::string_view) {};
  result.clock = config->clock ? config->clock : [] { return 0.0; };
  if (config->picture_columns) result.picture_columns = config->picture_columns();
  result.files = embed::to_policy(config->files);
  result.stop = &stop;
  result.memory_bytes_max = config->memory_bytes_max;
  result.steps_max = config->steps_max;
  result.output_bytes_max = config->output_bytes_max;
  result.memory = memory;
  if (engine.ok()) result.engine = *engine;
  result.ordered_products = config->products == Products::ordered;
  result.machine = plans.machine();
  result.throttle = config->throttle;
  result.devices = std::max(config->devices, state->environment.devices());
  if (config->progress) {
    result.progress = [&told = config->progress](const runtime::Progress& progress) {
      told(Progress{progress.step, progress.steps, progress.received_bytes});
    };
  }
  return result;
}

runtime::DeviceRanks Session::Impl::device_ranks(const synth::ArrayType& type) const {
  const int ranks = team.ok() && *team != nullptr ? (*team)->size() : 1;
  return {ranks, std::max({config->devices, state->environment.devices(), type.mesh().devices_end()})};
}

bool Session::Impl::is_first() const { return !team.ok() || *team == nullptr || (*team)->rank() == 0; }

base::Status Session::Impl::agree(base::Status mine, std::string_view subject) const {
  TESSERA_TRY(met, team);
  if (mine && !engine) mine = engine.errors();
  if (met == nullptr) return mine;
  const auto hash = static_cast<std::int64_t>(std::hash<std::string_view>{}(subject));
  const auto agreed = met->agree_on(std::move(mine), {hash, 0});
  if (!agreed) return agreed.errors();
  return base::Done{};
}

namespace {

using embed::State;
using embed::Texts;

// The values a lowered program wants of the session, in its order.
Result<std::vector<runtime::Value>> inputs(const State& state, const typeck::Lowered& lowered) {
  std::vector<runtime::Value> result;
  for (const std::uint32_t slot : lowered.input_slots) {
    const runtime::Value* value = state.values.find(slot);
    if (value == nullptr)
      return embed::bad_call("the program uses a value of an earlier one, but the session keeps none");
    result.push_back(*value);
  }
  return result;
}

// The session's values where the devices of the coming run are.
base::Result<embed::StateRef> on_ranks(const State& before, const runtime::World& world) {
  auto after = std::make_shared<State>(before);
  base::Status moved = base::Done{};
  const runtime::DeviceRanks ranks(world.team == nullptr ? 1 : world.team->size(), world.devices);
  before.values.for_each([&](const auto& kept) {
    if (!moved || kept.value.ranks().devices() == ranks.devices()) return;
    auto there = runtime::on_ranks(kept.value, ranks, world.memory);
    if (there)
      after->values.set(kept.key, std::move(*there));
    else
      moved = there.errors();
  });
  if (!moved) return moved.errors();
  return embed::StateRef(std::move(after));
}

std::vector<synth::Pass> passes(const typeck::Lowered& lowered) {
  std::vector<synth::Pass> all;
  for (const typeck::Origin& origin : lowered.origins) all.push_back(origin.pass);
  return all;
}

// Bindings of functions keep the tree of their text.
std::shared_ptr<const Texts> with_tree(std::shared_ptr<const Texts> texts, const frontend::Ast& ast) {
  const bool keeps_tree = std::any_of(ast.program.begin(), ast.program.end(), [&](frontend::StatementId id) {
    return std::holds_alternative<frontend::Fn>(ast[id].node);
  });
  if (!keeps_tree) return texts;
  auto heavier = std::make_shared<Texts>(*texts);
  heavier->weigh(ast.source, embed::bytes_of(ast));
  return heavier;
}

State with_outputs(const State& before, const std::shared_ptr<const Texts>& texts, const typeck::Typed& typed,
                   const typeck::Lowered& lowered, std::vector<runtime::Value> outputs) {
  State after{with_tree(texts, *typed.ast), typed.after, before.values, before.bindings_left, before.text_bytes_left};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    after.values.set(lowered.output_slots.at(i), std::move(outputs[i]));
  }
  for (const std::uint32_t slot : typed.hidden_slots) after.values.erase(slot);
  return after;
}

}  // namespace

Diagnostics embed::session_is_busy() {
  return embed::bad_call(
      "the session is at work: one of its functions in Config, or another thread, called it. Such a function may call "
      "stop() and const functions; for another program take a fork, or run it after the call");
}

Session::Session(Config config) : impl_(std::make_unique<Impl>(std::move(config))) {}
Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session Session::fork() const { return Session(std::make_unique<Impl>(*impl_)); }

Session Session::fork(Config config) const {
  synth::PlanCache plans =
      config.machine == impl_->config->machine ? impl_->plans : synth::PlanCache(embed::to_machine(config.machine));
  auto shared = std::make_shared<const Config>(std::move(config));
  return Session(std::make_unique<Impl>(*impl_, std::move(shared), std::move(plans)));
}

const Config& Session::config() const { return *impl_->config; }

std::int64_t Session::Impl::kept_bytes(const std::vector<runtime::Value>& besides) const {
  std::set<const std::byte*> counted;
  std::int64_t bytes = 0;
  const auto add = [&](const runtime::Value& value, bool counts) {
    for (std::int64_t device = 0; device < value.type().devices(); ++device) {
      if (!value.has_device(device)) continue;
      const auto tile = value.tile(device);
      if (!tile.empty() && counted.insert(tile.data()).second && counts) bytes += std::ssize(tile);
    }
  };
  for (const runtime::Value& value : besides) add(value, false);
  state->values.for_each([&](const auto& entry) { add(entry.value, true); });
  return bytes + state->texts->bytes();
}

std::vector<StatementStatistics> Session::statistics() const { return impl_->statistics; }

void Session::stop() noexcept { impl_->stop.store(true); }

Result<std::vector<std::string>> Session::share(std::string mine) const {
  return embed::safely([&]() -> Result<std::vector<std::string>> {
    if (!impl_->team.ok()) return embed::to_public(Texts{}, impl_->team.errors());
    if (*impl_->team == nullptr) return std::vector<std::string>{std::move(mine)};
    auto texts = runtime::share_texts(**impl_->team, std::move(mine));
    if (!texts) return embed::to_public(Texts{}, texts.errors());
    return std::move(*texts);
  });
}

Result<RunReport> Session::run(std::string_view text, std::string_view name, std::uint32_t first_line) {
  const embed::Entry entry(impl_->busy);
  if (!entry.alone()) return embed::session_is_busy();
  impl_->begin_work();
  impl_->statistics.clear();
  auto report = impl_->in_time([&]() -> Result<RunReport> {
    auto program = check_text(text, name, first_line, {});
    if (!program) return program.diagnostics();
    return run_checked(*program);
  });
  return impl_->kept(std::move(report));
}

Result<RunReport> Session::run(const Program& program) {
  const embed::Entry entry(impl_->busy);
  if (!entry.alone()) return embed::session_is_busy();
  impl_->begin_work();
  impl_->statistics.clear();
  return impl_->kept(impl_->in_time([&] { return run_checked(program); }));
}

Result<RunReport> Session::run_checked(const Program& program) {
  const Program::Impl& checked = *program.impl_;
  if (checked.checked_in.lock() != impl_->state)
    return embed::bad_call("the session has changed since the program was checked");
  return embed::safely([&]() -> Result<RunReport> {
    const typeck::Keep keep = impl_->config->keep_values ? typeck::Keep::bound_names : typeck::Keep::nothing;
    auto lowered =
        typeck::lower(*checked.typed, keep, impl_->stop_alone(), embed::check_limits(*impl_->config).steps_max);
    if (!lowered) return embed::to_public(*checked.texts, lowered.errors());
    runtime::World world = impl_->world();
    world.devices = std::max(world.devices, checked.typed->after.devices());
    const auto moved = on_ranks(*impl_->state, world);
    if (!moved) return embed::to_public(*checked.texts, moved.errors());
    auto given = inputs(**moved, *lowered);
    if (!given) return given.diagnostics();
    if (world.team == nullptr) {
      const auto lost = embed::lost_input(**moved, *lowered, world.engine.get());
      if (lost) return embed::to_public(*checked.texts, base::Diagnostics{*lost});
    }
    if (world.memory_bytes_max > 0) world.kept_bytes = impl_->kept_bytes(*given);
    world.passes = passes(*lowered);
    world.profile = impl_->config->clock != nullptr;
    world.engine_times = impl_->config->gpu_times;
    if (impl_->config->trace) world.trace = embed::trace_teller(impl_->config->trace, checked, *lowered);
    const auto by_statement = [&](const std::vector<runtime::OriginStatistics>& counted) {
      return embed::costs_of_statements(*checked.texts, *checked.typed, *lowered, counted);
    };
    world.counted_of_failed = [&](const auto& counted) { impl_->statistics = by_statement(counted); };
    auto outcome = runtime::run(lowered->program, *given, world);
    if (!outcome) {
      const auto why = embed::with_lost_names(outcome.errors(), **moved, world.engine.get());
      return embed::to_public(*checked.texts, why, &lowered->origins);
    }
    impl_->statistics = by_statement(outcome->statistics);
    RunReport report{program,
                     checked.bindings,
                     impl_->statistics,
                     embed::profile_of(*checked.texts, *checked.typed, *lowered, outcome->seconds),
                     outcome->peak_bytes,
                     outcome->arena_bytes,
                     outcome->clock_seconds,
                     embed::kept_values(*checked.texts, *checked.typed, *lowered, *outcome),
                     outcome->host_steps};
    impl_->next = with_outputs(**moved, checked.texts, *checked.typed, *lowered, std::move(outcome->outputs));
    return report;
  });
}

}  // namespace tessera
