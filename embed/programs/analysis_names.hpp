// Who is meant by each name of a text, as far as that can be told without types.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "frontend/ast.hpp"
#include "tessera/analysis.hpp"

namespace tessera::embed {

// The names of a text, and what later stages fill in.
struct NamesOfText {
  std::vector<TextName> names;
  std::vector<TextStatement> statements;
  std::vector<TextRange> parts;
  // The value of each `let` of one name, by the number of the name.
  std::map<std::size_t, frontend::ExprId> values;
  // The statement of each such `let`.
  std::map<std::size_t, frontend::StatementId> lets;
  std::vector<std::size_t> meshes;  // numbers of the names that meshes have
};

// Names are looked up as the language does: the latest of the same name wins, a function's body sees what is bound
// before it. An axis is looked for on the mesh that its type names, then on the default one, then on any. `size` is
// that of the text.
NamesOfText names_of(const frontend::Ast& ast, std::uint32_t size);

}  // namespace tessera::embed
