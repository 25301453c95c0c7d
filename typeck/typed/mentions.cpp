#include "typeck/typed/mentions.hpp"

#include <algorithm>
#include <variant>

#include "typeck/typed/file_name.hpp"

namespace tessera::typeck {

namespace {

void mention_braced(std::vector<Mention>& names, std::uint32_t at, const std::string& file_name) {
  const auto pieces = file_name_pieces(file_name);
  if (!pieces.has_value()) return;
  for (const FileNamePiece& piece : *pieces) {
    if (piece.is_name) names.push_back({at, piece.text});
  }
}

}  // namespace

std::vector<Mention> mentions(const frontend::Ast& ast) {
  std::vector<Mention> names;
  for (const frontend::Expr& expr : ast.exprs.items()) {
    const std::uint32_t at = expr.span.begin;
    if (const auto* reference = std::get_if<frontend::NameRef>(&expr.node)) names.push_back({at, reference->name});
    if (const auto* call = std::get_if<frontend::Call>(&expr.node)) names.push_back({at, call->callee.text});
    if (const auto* taken = std::get_if<frontend::Gradient>(&expr.node)) names.push_back({at, taken->function.text});
    if (const auto* string = std::get_if<frontend::StringLiteral>(&expr.node)) mention_braced(names, at, string->value);
  }
  for (const frontend::Statement& statement : ast.statements.items()) {
    if (const auto* save = std::get_if<frontend::Save>(&statement.node)) {
      mention_braced(names, statement.span.begin, save->path);
      if (save->array) mention_braced(names, statement.span.begin, *save->array);
    }
  }
  std::stable_sort(names.begin(), names.end(), [](const Mention& a, const Mention& b) { return a.at < b.at; });
  return names;
}

}  // namespace tessera::typeck
