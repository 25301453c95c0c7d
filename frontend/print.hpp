// Ast -> text: the one canonical layout of a program. parse(print(ast)) equals ast but for spans, and printing again
// gives the same text. Comments are kept, blank lines between statements are kept as at most one.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/source.hpp"
#include "frontend/ast.hpp"

namespace tessera::frontend {

// Lets a later stage print what it added. Called for every expression: if it returns a text (a type), the expression is
// printed as `e as TYPE`, in parentheses where they are needed. Called for every `let` of one name without a type: if
// it returns a text, that is printed as the annotation.
struct PrintHooks {
  std::function<std::optional<std::string>(ExprId)> as_type;
  std::function<std::optional<std::string>(StatementId)> let_type;
};

// `sources` gives blank lines and comments their places; without it (an Ast made by hand) there are none.
std::string print(const Ast& ast, const base::SourceMap* sources = nullptr, const PrintHooks& hooks = {});
std::string print_expr(const Ast& ast, ExprId expr, const PrintHooks& hooks = {});
std::string print_type(const Ast& ast, TypeId type);

// Equal but for spans, parentheses and comments.
bool equal(const Ast& a, const Ast& b);

}  // namespace tessera::frontend
