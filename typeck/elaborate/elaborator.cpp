// The run over a text.
#include "typeck/elaborate/elaborator.hpp"

#include <algorithm>

#include "synth/kinds.hpp"

namespace tessera::typeck {

namespace {

bool declares_mesh(const Ast& ast) {
  return std::any_of(ast.program.begin(), ast.program.end(), [&](StatementId id) {
    const auto* use = std::get_if<frontend::Use>(&ast[id].node);
    return std::holds_alternative<frontend::MeshStatement>(ast[id].node) || (use != nullptr && use->with_meshes);
  });
}

}  // namespace

Elaborator::Elaborator(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
                       const synth::Machine& machine, const CheckOptions& options, Messages& messages,
                       const Placements& placements)
    : OpenGraph(std::move(ast), sources, environment, machine, options, messages), types_(*this, placements) {}

Elaborated Elaborator::run() {
  Frame frame{program_.ast, 0, {}, nullptr, {}, true};
  frame_ = &frame;
  for (const StatementId statement : ast().program) statements_.check_statement(statement);
  for (const auto& [name, value] : options_.defines) {
    if (!names_.has_define(name)) report(base::make(Kind::define_unused, name));
  }
  const bool wishes_place = options_.place.automatic || options_.place.matrix.has_value();
  if (wishes_place && !declares_mesh(ast())) {
    report(synth::bad_place(options_.place.matrix ? print(*options_.place.matrix) : "auto",
                            "has nothing to place: the program declares no mesh"));
  }
  options_.stop.look();
  program_.lets = std::move(frame.lets);
  return {std::move(program_),
          std::move(environment_),
          names_.take_hidden_slots(),
          types_.take_placed_by_search(),
          types_.take_chosen_cuts(),
          statements_.used_files().take_brought(),
          statements_.take_remark_on_defines()};
}

}  // namespace tessera::typeck
