// Checks of texts.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/manual/library_texts.hpp"
#include "embed/session/bindings.hpp"
#include "embed/session/session_impl.hpp"
#include "embed/session/used_files.hpp"
#include "frontend/parse.hpp"
#include "runtime/io/files.hpp"
#include "runtime/memory/device_peaks.hpp"
#include "runtime/ranks/team.hpp"
#include "synth/layout/place_matrix.hpp"
#include "typeck/check.hpp"
#include "typeck/elaborate/operation_names.hpp"

namespace tessera {

namespace {

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

base::Result<frontend::Ast> Session::Impl::parse(const Texts& texts, base::SourceId source, const Config& by) {
  const std::size_t nesting_max = by.nesting_max > 0 ? static_cast<std::size_t>(by.nesting_max) : frontend::kNestingMax;
  return frontend::parse(texts.sources, source, base::StopToken(&stop), nesting_max, typeck::operation_names,
                         embed::check_limits(by).tokens_max);
}

namespace {

// A text and the files that it uses.
base::Result<typeck::Typed> check_with(Session::Impl& session, frontend::Ast ast, Texts& texts,
                                       const typeck::Environment& environment, const Config& by, typeck::UsedFiles used,
                                       std::optional<typeck::Stage> text_after) {
  return base::guarded([&]() -> base::Result<typeck::Typed> {
    TESSERA_TRY(options, embed::check_options(by, texts, base::StopToken(&session.stop)));
    options.text_after = text_after;
    options.used = std::move(used);
    auto kept = std::make_shared<const frontend::Ast>(std::move(ast));
    return typeck::check(std::move(kept), texts.sources, environment, session.plans, options);
  });
}

// The files that a text uses. Ranks read the same text here, or fail alike: `is_settled` says that they know.
base::Result<typeck::UsedFiles> used_by(Session::Impl& session, const base::Result<frontend::Ast>& ast,
                                        std::string_view text, Texts& texts, bool& is_settled) {
  if (!ast || !embed::uses_files(*ast)) return typeck::UsedFiles{};
  const Config& config = *session.config;
  runtime::Team* const met = session.team.ok() ? session.team->get() : nullptr;
  if (met == nullptr)
    return embed::used_files(*ast, texts, config, base::StopToken(&session.stop), embed::reader_of(config));
  const base::Status same = session.agree(base::Done{}, text);
  is_settled = !same;
  if (!same) return same.errors();
  auto used = embed::used_files(*ast, texts, config, *met);
  is_settled = !used;
  return used;
}

}  // namespace

base::Result<typeck::Typed> Session::Impl::check(frontend::Ast ast, Texts& texts,
                                                 const typeck::Environment& environment, const Config& by) {
  return check_with(*this, std::move(ast), texts, environment, by, {}, {});
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
    auto used = used_by(*impl_, ast, text, texts, is_settled);
    if (is_settled) return embed::to_public(texts, used.errors());
    auto typed = !ast    ? base::Result<typeck::Typed>(ast.errors())
                 : !used ? base::Result<typeck::Typed>(used.errors())
                         : check_with(*impl_, std::move(*ast), texts, impl_->state->environment, *impl_->config,
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

}  // namespace tessera
