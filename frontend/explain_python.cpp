#include "frontend/explain_python.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "frontend/expected.hpp"
#include "frontend/foreign.hpp"
#include "frontend/kinds.hpp"

namespace tessera::frontend {

using base::make;
using Answer = std::optional<base::Diagnostic>;

Answer import_of_names(const Place& p) {
  if (p.text(p.before()) != "from") return std::nullopt;
  int at = 1;
  while (p.token(at).kind == TokenKind::dot) at += 2;
  if (p.text(p.token(at)) != "import") return std::nullopt;
  return make(Kind::foreign_word, "import").at(p.span(p.token(at))).suggest(std::string(find_foreign("import")->help));
}

Answer condition_after_value(const Place& p) {
  if (!p.is(TokenKind::if_) || p.is_first() || !p.after_operand()) return std::nullopt;
  auto why = expected_and_found(p);
  return std::move(why).suggest("the condition comes first: `if c { a } else { b }`, or `where(c, a, b)` for arrays");
}

Answer string_with_prefix(const Place& p) {
  if (!p.is(TokenKind::string) || !p.attached() || p.before().kind != TokenKind::name) return std::nullopt;
  return expected_and_found(p).suggest(
      "strings have no letters before them; `print \"x is\", x` puts values between them");
}

Answer magic_of_sessions(const Place& p) {
  const auto why = [&](std::string_view help) { return expected_and_found(p).suggest(std::string(help)); };
  if (p.is(TokenKind::percent) && p.is_first())
    return why("a session's commands begin with a colon: `:time EXPRESSION`");
  const bool asks = p.is(TokenKind::question) && p.token(1).kind == TokenKind::end;
  if (!asks || (!p.is_first() && p.before().kind != TokenKind::name)) return std::nullopt;
  return why(
      fmt::format("in a session `:doc {}` tells of an operation or a word", p.is_first() ? "sum" : p.text(p.before())));
}

Answer names_without_parentheses(const Place& p) {
  if (!p.is(TokenKind::comma) || p.token(-2).kind != TokenKind::let || !p.expects(TokenKind::assign))
    return std::nullopt;
  std::string names = p.text(p.before());
  for (int at = 1; role(p.token(at).kind) == TokenRole::word; at += 2) {
    names += ", " + p.text(p.token(at));
    if (p.token(at + 1).kind != TokenKind::comma) break;
  }
  return expected_and_found(p).suggest(fmt::format("several names stand in parentheses: `let ({}) = ...`", names));
}

Answer list_by_rule(const Place& p) {
  if (!p.is(TokenKind::for_) || !p.expects(TokenKind::right_square)) return std::nullopt;
  return expected_and_found(p).suggest(
      "a list holds literals: of positions `iota(i64[n])`, by operations on it all; turn by turn "
      "`let (last, all) = scan w = w0 for i < n { (w2, kept) }`");
}

Answer names_without_let(const Place& p) {
  if (!p.is(TokenKind::comma) || p.index() != 1 || p.goal() != Goal::statement || p.before().kind != TokenKind::name)
    return std::nullopt;
  std::string names = p.text(p.before());
  int at = 0;
  for (; p.token(at).kind == TokenKind::comma && p.token(at + 1).kind == TokenKind::name; at += 2)
    names += ", " + p.text(p.token(at + 1));
  if (p.token(at).kind != TokenKind::assign) return std::nullopt;
  return expected_and_found(p).suggest(fmt::format("several names stand in parentheses: `let ({}) = ...`", names));
}

}  // namespace tessera::frontend
