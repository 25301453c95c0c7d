#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/manual/library_texts.hpp"
#include "embed/session/bindings.hpp"
#include "embed/session/lost_values.hpp"
#include "embed/session/session_impl.hpp"
#include "embed/session/statistics.hpp"
#include "embed/session/trace.hpp"
#include "embed/session/used_files.hpp"
#include "frontend/parse.hpp"
#include "runtime/execute/run.hpp"
#include "runtime/memory/device_peaks.hpp"
#include "runtime/ranks/texts.hpp"
#include "runtime/values/move_value.hpp"
#include "typeck/check.hpp"
#include "typeck/elaborate/operation_names.hpp"

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

// Sources are numbered by 32 bits; the parser refuses what is longer than texts may be.
constexpr std::size_t kTextBytesMax = std::numeric_limits<std::uint32_t>::max() / 2;

base::Status short_enough(std::string_view text, const Config& config) {
  const auto refused = [&](const char* limit, std::int64_t bytes) {
    return base::make(
        embed::Kind::bad_call,
        fmt::format("the text has {} bytes, and Config::{} allows {}: pass a shorter text, or several one "
                    "after the other",
                    text.size(), limit, bytes));
  };
  if (text.size() > kTextBytesMax) return base::make(embed::Kind::bad_call, "the text is larger than 2 GiB");
  if (config.text_bytes_max > 0 && std::cmp_greater(text.size(), config.text_bytes_max))
    return refused("text_bytes_max", config.text_bytes_max);
  const std::size_t most = embed::check_limits(config).text_bytes_max;
  if (config.memory_bytes_max > 0 && text.size() > most)
    return refused("memory_bytes_max", static_cast<std::int64_t>(most));
  return base::Done{};
}

// Answers what the checker asks about the files of `load`.
auto header_reader(runtime::FilePolicy policy) {
  return [policy = std::move(policy)](const std::string& path) -> base::Result<typeck::FileHeader> {
    TESSERA_TRY(header, runtime::read_npy_header(policy, path));
    return typeck::FileHeader{header.element, header.shape};
  };
}

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

base::Result<typeck::CheckOptions> embed::check_options(const Config& config, const Texts& texts,
                                                        base::StopToken stop) {
  typeck::PlaceWish wish{config.place == "auto"};
  if (!config.place.empty() && !wish.automatic) {
    wish.matrix = synth::parse_place_matrix(config.place);
    if (!wish.matrix) return synth::bad_place(config.place, "is no matrix").suggest("write `auto` or [[4,4],[1,4]]");
  }
  typeck::CheckOptions options{
      embed::to_policy(config.reshard),
      config.defines,
      header_reader(embed::to_policy(config.files)),
      config.bare_expressions,
      [&texts](base::SourceId source) { return texts.first_line(source); },
      [stop](const synth::Program& program) { return runtime::pipeline_peaks(program, stop); },
      [stop](const synth::Program& program) { return runtime::peak_bytes_of_devices(program, stop); },
      stop,
      std::move(wish),
      config.devices_max,
      check_limits(config).values_max,
      check_limits(config).steps_max};
  options.library_of = embed::library_text_of;
  return options;
}

Diagnostics embed::session_is_busy() {
  return embed::bad_call(
      "the session is at work: one of its functions in Config, or another thread, called it. Such a function may call "
      "stop() and const functions; for another program take a fork, or run it after the call");
}

base::Result<frontend::Ast> Session::Impl::parse(const Texts& texts, base::SourceId source, const Config& by) {
  const std::size_t nesting_max = by.nesting_max > 0 ? static_cast<std::size_t>(by.nesting_max) : frontend::kNestingMax;
  return frontend::parse(texts.sources, source, base::StopToken(&stop), nesting_max, typeck::operation_names,
                         embed::check_limits(by).tokens_max);
}

base::Result<typeck::Typed> Session::Impl::check(frontend::Ast ast, Texts& texts,
                                                 const typeck::Environment& environment, const Config& by,
                                                 typeck::UsedFiles used, std::optional<typeck::Stage> text_after) {
  return base::guarded([&]() -> base::Result<typeck::Typed> {
    TESSERA_TRY(options, embed::check_options(by, texts, base::StopToken(&stop)));
    options.text_after = text_after;
    options.used = std::move(used);
    auto kept = std::make_shared<const frontend::Ast>(std::move(ast));
    return typeck::check(std::move(kept), texts.sources, environment, plans, options);
  });
}

base::Result<typeck::UsedFiles> Session::Impl::used_by(const base::Result<frontend::Ast>& ast, std::string_view text,
                                                       Texts& texts, bool& is_settled) {
  if (!ast || !embed::uses_files(*ast)) return typeck::UsedFiles{};
  runtime::Team* const met = team.ok() ? team->get() : nullptr;
  if (met == nullptr) return embed::used_files(*ast, texts, *config, base::StopToken(&stop), embed::reader_of(*config));
  const base::Status same = agree(base::Done{}, text);
  is_settled = !same;
  if (!same) return same.errors();
  auto used = embed::used_files(*ast, texts, *config, *met);
  is_settled = !used;
  return used;
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

Result<Program> Session::check(std::string_view text, std::string_view name, std::uint32_t first_line) {
  const embed::Entry entry(impl_->busy);
  if (!entry.alone()) return embed::session_is_busy();
  impl_->begin_work();
  return impl_->in_time([&] { return check_text(text, name, first_line, {}); });
}

Result<std::string> Session::text_after(std::string_view stage, std::string_view text, std::string_view name) {
  const embed::Entry entry(impl_->busy);
  if (!entry.alone()) return embed::session_is_busy();
  if (!typeck::stage_by_name(stage))
    return embed::bad_call(fmt::format("a program has no stage `{}` on its way", stage));
  impl_->begin_work();
  return impl_->in_time([&]() -> Result<std::string> {
    const auto program = check_text(text, name, 1, stage);
    if (!program) return program.diagnostics();
    const bool is_lowered = typeck::stage_by_name(stage) == typeck::Stage::lower;
    return is_lowered ? program->device_program() : Result<std::string>(program->impl()->typed->stage_text);
  });
}

Result<Program> Session::check_text(std::string_view text, std::string_view name, std::uint32_t first_line,
                                    std::string_view stage) {
  return embed::safely([&]() -> Result<Program> {
    Texts texts = *impl_->state->texts;
    if (const base::Status fits = short_enough(text, *impl_->config); !fits) {
      // The other ranks learn of it, whose texts or limits may differ.
      return embed::to_public(texts, impl_->agree(fits, text).errors());
    }
    const base::SourceId source = texts.add(std::string(name), std::string(text), first_line);
    auto ast = impl_->parse(texts, source, *impl_->config);
    bool is_settled = false;
    auto used = impl_->used_by(ast, text, texts, is_settled);
    if (is_settled) return embed::to_public(texts, used.errors());
    auto typed = !ast    ? base::Result<typeck::Typed>(ast.errors())
                 : !used ? base::Result<typeck::Typed>(used.errors())
                         : impl_->check(std::move(*ast), texts, impl_->state->environment, *impl_->config,
                                        std::move(*used), typeck::stage_by_name(stage));
    const base::Status mine = typed ? base::Status(base::Done{}) : base::Status(typed.errors());
    const base::Status agreed = impl_->agree(mine, text);
    if (!agreed) return embed::to_public(texts, agreed.errors());
    auto kept = std::make_shared<const typeck::Typed>(std::move(*typed));
    Program::Impl program{impl_->state,
                          {},
                          kept,
                          embed::bindings_of(texts, *kept),
                          embed::shown_in(texts, *kept),
                          embed::declared_in(*kept->ast),
                          embed::to_public(texts, kept->notes),
                          impl_->plans.machine()};
    program.texts = std::make_shared<const Texts>(std::move(texts));
    if (impl_->config->log && impl_->is_first())
      std::for_each(program.notes.begin(), program.notes.end(), impl_->config->log);
    return Program(std::make_shared<const Program::Impl>(std::move(program)));
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
