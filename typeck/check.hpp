// Ast -> Typed.
#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "frontend/ast.hpp"
#include "synth/planner/plan.hpp"
#include "typeck/elaborate/options.hpp"
#include "typeck/typed/environment.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

struct ProgramRanking;

// Checks a program in an environment. All errors of the text are reported at once. `sources` holds the text (and takes
// the texts of defines). Plans come from, and are remembered in, `plans`.
base::Result<Typed> check(std::shared_ptr<const frontend::Ast> ast, base::SourceMap& sources,
                          const Environment& environment, synth::PlanCache& plans, const CheckOptions& options = {});

// What is known of a text with mistakes in it: for editors. The typed program lacks what the mistakes are about;
// nothing may be made of it but to look at it. The diagnostics are those that `check` gives, as notes or as its
// failure.
struct PartlyChecked {
  Typed typed;
  base::Diagnostics diagnostics;
  bool failed = false;
};
base::Result<PartlyChecked> check_partly(const std::shared_ptr<const frontend::Ast>& ast, base::SourceMap& sources,
                                         const Environment& environment, synth::PlanCache& plans,
                                         const CheckOptions& options = {});

// For `tessera place`: of every mesh of the program, where it may lie, the best so many. The text's own placements are
// not looked at.
base::Result<std::vector<ProgramRanking>> rank_placements(const std::shared_ptr<const frontend::Ast>& ast,
                                                          base::SourceMap& sources, const Environment& environment,
                                                          synth::PlanCache& plans, const CheckOptions& options,
                                                          std::size_t wished);

// A type or a mesh of the command line, for `plan` and `compare`.
base::Result<synth::MeshRef> check_mesh(const frontend::Ast& ast, const synth::Machine& machine = {});
base::Result<ArrayType> check_type(const frontend::Ast& ast, const synth::MeshRef& mesh);

}  // namespace tessera::typeck
