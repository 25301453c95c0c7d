// Ast -> Typed: the entrance, defines, and what the typed program keeps.
#include "typeck/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "frontend/verify.hpp"
#include "typeck/checker/checker.hpp"

namespace tessera::typeck {

namespace {

bool declares_mesh(const Ast& ast) {
  return std::any_of(ast.program.begin(), ast.program.end(),
                     [&](StatementId id) { return std::holds_alternative<frontend::MeshStatement>(ast[id].node); });
}

}  // namespace

base::Result<Typed> Checker::run() {
  Frame frame{typed_.ast, 0, {}, nullptr, {}, {}, true};
  frame_ = &frame;
  try {
    for (const StatementId statement : ast().program) check_statement(statement);
  } catch (const TooManyValues&) {
    return base::make(Kind::check_too_large, options_.values_max)
        .at(typed_.statements.back().span)
        .suggest("functions that call functions twice, and gradients of them, grow fast: use `loop`");
  }
  for (const auto& [name, value] : options_.defines) {
    if (!defines_used_.contains(name)) report(base::make(Kind::define_unused, name));
  }
  const bool wishes_place = options_.place.automatic || options_.place.matrix.has_value();
  if (wishes_place && !declares_mesh(ast())) {
    report(synth::bad_place(options_.place.matrix ? print(*options_.place.matrix) : "auto",
                            "has nothing to place: the program declares no mesh"));
  }
  options_.stop.look();
  if (failed()) {
    const auto is_error = [](const Diagnostic& one) { return one.kind.severity == base::Severity::error; };
    std::string& help = std::ranges::find_if(diagnostics_, is_error)->help;
    help += help.empty() && !remark_on_defines_.empty() ? remark_on_defines_.substr(1) : remark_on_defines_;
    return std::move(diagnostics_);
  }
  typed_.after = std::move(environment_);
  typed_.notes = std::move(diagnostics_);
  typed_.inserted_as = std::move(frame.inserted_as);
  typed_.let_types = std::move(frame.let_types);
  for (auto& [function, frames] : instance_frames_) {
    if (frames.size() != 1) continue;
    typed_.inserted_as.merge(frames.front().inserted_as);
    typed_.let_types.merge(frames.front().let_types);
  }
  return std::move(typed_);
}

// The expression that --define gives in place of a let's: parsed as a text of its own.
MaybeValue Checker::defined_value(const std::string& name, const std::string& value_text, const Preference& want) {
  defines_used_.insert(name);
  const base::SourceId source =
      sources_.add(fmt::format("--define {}", name), fmt::format("let {} = {}\n", name, value_text));
  auto parsed = frontend::parse(sources_, source);
  const bool one_let = parsed.ok() && parsed->program.size() == 1 &&
                       std::holds_alternative<frontend::Let>((*parsed)[parsed->program[0]].node);
  if (!one_let) {
    report(base::make(Kind::define_bad, name, value_text).suggest("give one expression, as in --define N=1024"));
    return std::nullopt;
  }
  Frame frame{std::make_shared<const Ast>(std::move(parsed).value()), 0, {}, nullptr, {}, {}, true};
  Frame* const outer = std::exchange(frame_, &frame);
  const auto& let = std::get<frontend::Let>(ast()[ast().program[0]].node);
  MaybeValue value = check_array(let.value, want);
  frame_ = outer;
  if (value.has_value()) value->expr = {};
  return value;
}

base::Result<Typed> check(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
                          synth::PlanCache& plans, const CheckOptions& options) {
  return base::guarded_until_stopped([&]() -> base::Result<Typed> {
    TESSERA_TRY_STATUS(frontend::verify(*ast));
    const CheckPlaced check_placed = [&](const Placements& placements) {
      return Checker(ast, sources, environment, plans, options, placements).run();
    };
    TESSERA_TRY(typed, check_placed({}));
    if (typed.placed_by_search.empty()) return typed;
    return placed_best(std::move(typed), plans.machine(), check_placed, options.stop);
  });
}

base::Result<std::vector<ProgramRanking>> rank_placements(const std::shared_ptr<const Ast>& ast,
                                                          base::SourceMap& sources, const Environment& environment,
                                                          synth::PlanCache& plans, const CheckOptions& options,
                                                          std::size_t wished) {
  return base::guarded_until_stopped([&]() -> base::Result<std::vector<ProgramRanking>> {
    TESSERA_TRY_STATUS(frontend::verify(*ast));
    CheckOptions searching = options;
    searching.place = PlaceWish{true, std::nullopt};
    const CheckPlaced check_placed = [&](const Placements& placements) {
      return Checker(ast, sources, environment, plans, searching, placements).run();
    };
    TESSERA_TRY(typed, check_placed({}));
    std::vector<ProgramRanking> all;
    for (std::size_t number = 0; number < typed.placed_by_search.size(); ++number) {
      TESSERA_TRY(one, rank_program(typed, number, {}, wished, plans.machine(), check_placed, options.stop));
      all.push_back(std::move(one));
    }
    return all;
  });
}

std::string print(const Typed& typed, const base::SourceMap& sources) {
  frontend::PrintHooks hooks;
  hooks.as_type = [&](ExprId expr) -> std::optional<std::string> {
    const auto found = typed.inserted_as.find(expr);
    if (found == typed.inserted_as.end()) return std::nullopt;
    return found->second;
  };
  hooks.let_type = [&](StatementId statement) -> std::optional<std::string> {
    const auto found = typed.let_types.find(statement);
    if (found == typed.let_types.end()) return std::nullopt;
    return found->second;
  };
  return frontend::print(*typed.ast, &sources, hooks);
}

}  // namespace tessera::typeck
