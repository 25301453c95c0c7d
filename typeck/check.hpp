// Ast -> Typed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "frontend/ast.hpp"
#include "synth/redistribute/plan.hpp"
#include "typeck/environment.hpp"
#include "typeck/typed.hpp"

namespace tessera::typeck {

enum class ReshardPolicy : std::uint8_t { silent, warn, error };

struct FileHeader {
  synth::ElementType element = synth::ElementType::f32;
  synth::Shape shape;
};

struct CheckOptions {
  ReshardPolicy reshard = ReshardPolicy::silent;
  // `--define N=V`: replaces the value of a top-level `let N = ...`; the text is an expression.
  std::map<std::string, std::string> defines;
  // Asked for the extents `_` of load; without it `_` is an error.
  std::function<base::Result<FileHeader>(const std::string& path)> file_header;
  bool bare_expressions = false;  // REPL: a bare expression is shown, not refused
  // The number of a text's first line, for `plan` to say where; without it 1.
  std::function<std::uint32_t(base::SourceId source)> first_line = {};
  base::StopToken stop = {};  // ends the check with `interrupted`
};

// Checks a program in an environment. All errors of the text are reported at once. `sources` holds the text (and takes
// the texts of defines). Plans come from, and are remembered in, `plans`.
base::Result<Typed> check(std::shared_ptr<const frontend::Ast> ast, base::SourceMap& sources,
                          const Environment& environment, synth::PlanCache& plans, const CheckOptions& options = {});

// A type or a mesh of the command line, for `plan` and `compare`.
base::Result<synth::MeshRef> check_mesh(const frontend::Ast& ast);
base::Result<ArrayType> check_type(const frontend::Ast& ast, const synth::MeshRef& mesh);

}  // namespace tessera::typeck
