// Ast -> Typed: the entrance, defines, and what the typed program keeps.
#include "typeck/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/print.hpp"
#include "frontend/verify.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/insert/insertion.hpp"
#include "typeck/placement/placed_program.hpp"
#include "typeck/placement/search.hpp"
#include "typeck/shares/search.hpp"
#include "typeck/typed/graph_text.hpp"

namespace tessera::typeck {

namespace {

// A text, read once; what it is under placements of its meshes, which are searched for.
class Reading {
 public:
  Reading(std::shared_ptr<const frontend::Ast> ast, base::SourceMap& sources, const Environment& environment,
          synth::PlanCache& plans, const CheckOptions& options)
      : ast_(std::move(ast)), sources_(sources), environment_(environment), plans_(plans), options_(options) {}

  // The text, closed once. If the placement of a mesh is to be found and that succeeds, it is only priced.
  base::Result<PartlyChecked> first() {
    Placed placed = read({});
    if (placed.messages.failed() || placed.elaborated.placed_by_search.empty()) return closed(std::move(placed));
    Insertion insertion(placed.elaborated.program, sources_, placed.elaborated.after, plans_, options_,
                        placed.messages);
    PartlyChecked priced{insertion.priced(), {}, placed.messages.failed()};
    if (priced.failed) return closed(Placements());
    priced.typed.placed_by_search = std::move(placed.elaborated.placed_by_search);
    return priced;
  }

  base::Result<PartlyChecked> closed(const Placements& placements) { return closed(read(placements)); }

  std::optional<double> seconds(const Placements& placements, double most) {
    try {
      Placed placed = read(placements);
      if (placed.messages.failed()) return std::nullopt;
      return Insertion(placed.elaborated.program, sources_, placed.elaborated.after, plans_, options_, placed.messages)
          .seconds(most);
    } catch (const TooManyValues&) {
      return std::nullopt;
    }
  }

 private:
  struct Placed {
    Elaborated elaborated;
    Messages messages;
    PlacedMeshes meshes;
  };

  base::Result<PartlyChecked> closed(Placed placed) {
    auto& [elaborated, messages, meshes] = placed;
    if (!messages.failed()) TESSERA_TRY_STATUS(open::verify(elaborated.program));
    std::string open_text;
    if (options_.text_after == Stage::elaborate && !messages.failed()) open_text = open::print(elaborated.program);
    Insertion insertion(elaborated.program, sources_, elaborated.after, plans_, options_, messages);
    PartlyChecked checked{insertion.run(), {}, messages.failed()};
    options_.stop.look();
    checked.diagnostics =
        messages.take([&](const Messages::Asked& asked) { return type_text(insertion, asked, meshes); });
    if (checked.failed) {
      const auto is_error = [](const Diagnostic& one) { return one.kind.severity == base::Severity::error; };
      std::string& help = std::ranges::find_if(checked.diagnostics, is_error)->help;
      const std::string& remark = elaborated.remark_on_defines;
      help += help.empty() && !remark.empty() ? remark.substr(1) : remark;
    }
    if (!checked.failed) {
      checked.typed.stage_text = std::move(open_text);
      if (options_.text_after == Stage::assign) checked.typed.stage_text = insertion.assignment_text();
      if (options_.text_after == Stage::insert) checked.typed.stage_text = print_graph(checked.typed);
    }
    checked.typed.after = std::move(elaborated.after);
    checked.typed.hidden_slots = std::move(elaborated.hidden_slots);
    checked.typed.placed_by_search = std::move(elaborated.placed_by_search);
    checked.typed.chosen_cuts = std::move(elaborated.chosen_cuts);
    checked.typed.used_files = std::move(elaborated.used_files);
    return checked;
  }

  Placed elaborate(const Placements& placements) {
    Messages messages;
    Elaborated elaborated =
        Elaborator(ast_, sources_, environment_, plans_.machine(), options_, messages, placements).run();
    return {std::move(elaborated), std::move(messages), {}};
  }

  Placed read(const Placements& placements) {
    if (placements.empty()) {
      if (first_.has_value()) return *first_;
      Placed made = elaborate({});
      if (!made.elaborated.placed_by_search.empty() && !depends_on_placement(made.elaborated)) first_ = made;
      return made;
    }
    if (!first_.has_value()) return elaborate(placements);
    auto meshes = placed_meshes(first_->elaborated.placed_by_search, placements, plans_.machine());
    if (!meshes.has_value()) return elaborate(placements);
    return Placed{on_meshes(first_->elaborated, *meshes), first_->messages, std::move(*meshes)};
  }

  static std::string type_text(const Insertion& insertion, Messages::Asked asked, const PlacedMeshes& meshes) {
    if (asked.written.has_value()) asked.written->first = meshes(asked.written->first);
    return insertion.type_text(asked);
  }

  std::shared_ptr<const frontend::Ast> ast_;
  base::SourceMap& sources_;
  const Environment& environment_;
  synth::PlanCache& plans_;
  const CheckOptions& options_;
  std::optional<Placed> first_;
};

base::Diagnostics too_many_values(const TooManyValues& fault, const CheckOptions& options) {
  const std::string help =
      fault.turns.has_value()
          ? fmt::format("each of the {} turns of this loop is checked by itself: take fewer, or leave `const` out",
                        *fault.turns)
          : "functions that call functions twice, and gradients of them, grow fast: use `loop`";
  return {base::make(Kind::check_too_large, options.values_max).at(fault.statement).suggest(help)};
}

template <class Close>
base::Result<Typed> as_checked(const Close& close, const CheckOptions& options) {
  try {
    TESSERA_TRY(all, close());
    if (all.failed) return std::move(all.diagnostics);
    all.typed.notes = std::move(all.diagnostics);
    return std::move(all.typed);
  } catch (const TooManyValues& fault) {
    return too_many_values(fault, options);
  }
}

base::Result<Typed> checked(Reading& reading, const Placements& placements, const CheckOptions& options) {
  return as_checked([&] { return reading.closed(placements); }, options);
}

// The text with its meshes where it takes least.
base::Result<Typed> placed(Reading& reading, Typed typed, synth::PlanCache& plans, const CheckOptions& options) {
  const auto check = [&](const Placements& placements) { return checked(reading, placements, options); };
  const auto price = [&](const Placements& placements, double most) { return reading.seconds(placements, most); };
  return placed_best(std::move(typed), plans, check, price, options.stop);
}

// The text with the weights of the options, its meshes placed.
base::Result<Typed> check_once(const std::shared_ptr<const Ast>& ast, base::SourceMap& sources,
                               const Environment& environment, synth::PlanCache& plans, const CheckOptions& options) {
  Reading reading(ast, sources, environment, plans, options);
  TESSERA_TRY(typed, as_checked([&] { return reading.first(); }, options));
  if (typed.placed_by_search.empty()) return std::move(typed);
  return placed(reading, std::move(typed), plans, options);
}

// An elaborator over a lone type or mesh: no names are known. What it reports is the failure.
template <class F>
auto alone(const frontend::Ast& ast, const synth::MeshRef& mesh, const synth::Machine& machine, F&& f)
    -> base::Result<typename std::invoke_result_t<F, Elaborator&>::value_type> {
  base::SourceMap sources;
  Environment environment;
  if (mesh != nullptr) environment.bind(NamedMesh{"mesh", mesh, {}});
  Messages messages;
  Elaborator elaborator(std::make_shared<const frontend::Ast>(ast), sources, environment, machine, {}, messages);
  auto result = std::forward<F>(f)(elaborator);
  if (!result.has_value()) return messages.take({});
  return std::move(*result);
}

}  // namespace

base::Result<synth::MeshRef> check_mesh(const frontend::Ast& ast, const synth::Machine& machine) {
  return base::guarded([&] {
    return alone(ast, nullptr, machine, [](Elaborator& elaborator) { return elaborator.types().lone_mesh(); });
  });
}

base::Result<ArrayType> check_type(const frontend::Ast& ast, const synth::MeshRef& mesh) {
  return base::guarded([&]() -> base::Result<ArrayType> {
    TESSERA_TRY(written, alone(ast, mesh, {}, [](Elaborator& elaborator) { return elaborator.types().lone_type(); }));
    const auto at = [&](base::Diagnostics why) {
      for (Diagnostic& one : why) one = std::move(one).at(written.span);
      return why;
    };
    auto layout =
        synth::Layout::make(*written.mesh, written.layout.splits, written.layout.pending, written.layout.reduce);
    if (!layout.ok()) return at(std::move(layout).errors());
    auto type = ArrayType::make(written.element.value(), written.shape, written.mesh, *layout);
    if (!type.ok()) return at(std::move(type).errors());
    return type;
  });
}

base::Result<Typed> check(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
                          synth::PlanCache& plans, const CheckOptions& options) {
  return base::guarded_until_stopped([&]() -> base::Result<Typed> {
    TESSERA_TRY_STATUS(frontend::verify(*ast));
    TESSERA_TRY(typed, check_once(ast, sources, environment, plans, options));
    if (typed.chosen_cuts.empty()) return std::move(typed);
    const CheckWeighted check_weighted = [&](const std::vector<synth::Weights>& weights) {
      CheckOptions own = options;
      own.weights = weights;
      return check_once(ast, sources, environment, plans, own);
    };
    return with_best_weights(std::move(typed), check_weighted, options.stop);
  });
}

base::Result<PartlyChecked> check_partly(const std::shared_ptr<const Ast>& ast, base::SourceMap& sources,
                                         const Environment& environment, synth::PlanCache& plans,
                                         const CheckOptions& options) {
  return base::guarded_until_stopped([&]() -> base::Result<PartlyChecked> {
    Reading reading(ast, sources, environment, plans, options);
    try {
      TESSERA_TRY(all, reading.first());
      if (all.failed || all.typed.placed_by_search.empty()) return all;
      TESSERA_TRY(best, placed(reading, std::move(all.typed), plans, options));
      base::Diagnostics notes = best.notes;
      return PartlyChecked{std::move(best), std::move(notes), false};
    } catch (const TooManyValues& fault) {
      Typed nothing;
      nothing.ast = ast;
      return PartlyChecked{std::move(nothing), too_many_values(fault, options), true};
    }
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
    Reading reading(ast, sources, environment, plans, searching);
    const CheckPlaced check_placed = [&](const Placements& placements) {
      return checked(reading, placements, searching);
    };
    TESSERA_TRY(typed, check_placed({}));
    std::vector<ProgramRanking> all;
    for (std::size_t number = 0; number < typed.placed_by_search.size(); ++number) {
      TESSERA_TRY(one, rank_program(typed, number, {}, wished, plans, check_placed, options.stop));
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
