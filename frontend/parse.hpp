// Source -> Ast. The only door to ANTLR is parse.cpp.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "base/source.hpp"
#include "base/stop.hpp"
#include "frontend/ast.hpp"
#include "frontend/limits.hpp"
#include "frontend/token.hpp"

namespace tessera::frontend {

// Parses one text that is in `sources`. Fails with every syntax error found, at most one per statement. `nesting_max`
// and `tokens_max` may lower kNestingMax and kTokensMax. Hints about names of other libraries know `functions`.
base::Result<Ast> parse(const base::SourceMap& sources, base::SourceId source, base::StopToken stop = {},
                        std::size_t nesting_max = kNestingMax, FunctionNames functions = nullptr,
                        std::size_t tokens_max = kTokensMax);

// The statements of a text that can be read, and what is wrong with the others: an editor's text is half typed most of
// the time. The errors are those with which `parse` fails.
struct PartlyRead {
  Ast ast;
  std::vector<Token> tokens;  // of the whole text, comments and line ends included
  base::Diagnostics errors;
};
// Fails for a text of which nothing is read: one that is too large, or holds characters that no text may hold.
base::Result<PartlyRead> parse_partly(const base::SourceMap& sources, base::SourceId source, base::StopToken stop = {},
                                      FunctionNames functions = nullptr);

// For the REPL: does the text end inside an open bracket, after a binary operator and the like, so that another line
// may complete it?
bool is_incomplete(std::string_view text);

// Parses one type alone, as `--from` and `--to` of the command line give it. The Ast holds it as types[0].
base::Result<Ast> parse_type(const base::SourceMap& sources, base::SourceId source);

// Parses a mesh alone, `x:4,y:2` (as `--mesh` gives it) or `[x: 4, y: 2]`. The Ast holds one MeshStatement, named `m`.
base::Result<Ast> parse_mesh(const base::SourceMap& sources, base::SourceId source);

// Parses a size alone: `64MiB`, `1000`, `2KB`. Used by `--within`.
base::Result<std::int64_t> parse_size(const base::SourceMap& sources, base::SourceId source);

}  // namespace tessera::frontend
