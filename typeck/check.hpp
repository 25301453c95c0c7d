// Ast -> Typed.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "frontend/ast.hpp"
#include "synth/redistribute/plan.hpp"
#include "typeck/checker/options.hpp"
#include "typeck/typed/environment.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// Checks a program in an environment. All errors of the text are reported at once. `sources` holds the text (and takes
// the texts of defines). Plans come from, and are remembered in, `plans`.
base::Result<Typed> check(std::shared_ptr<const frontend::Ast> ast, base::SourceMap& sources,
                          const Environment& environment, synth::PlanCache& plans, const CheckOptions& options = {});

// A type or a mesh of the command line, for `plan` and `compare`.
base::Result<synth::MeshRef> check_mesh(const frontend::Ast& ast, const synth::Machine& machine = {});
base::Result<ArrayType> check_type(const frontend::Ast& ast, const synth::MeshRef& mesh);

}  // namespace tessera::typeck
