#include "frontend/meant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::frontend {

namespace {

constexpr std::size_t kQuotable = 60;  // bytes of a program that help repeats

bool is_quotable(std::string_view text) {
  return text.size() <= kQuotable && text.find('\n') == std::string_view::npos;
}

bool may_be_in_path(TokenKind kind) {
  constexpr std::array kKinds = {TokenKind::name,    TokenKind::dot,  TokenKind::spread,    TokenKind::slash,
                                 TokenKind::integer, TokenKind::real, TokenKind::imaginary, TokenKind::minus};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

// The parenthesis that the one at `close` closes.
std::optional<std::size_t> opening(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (role(tokens[i].kind) == TokenRole::close) ++depth;
    if (role(tokens[i].kind) == TokenRole::open && --depth == 0) return i;
  }
  return std::nullopt;
}

// The parenthesis that closes the one at `open`.
std::optional<std::size_t> closing(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (role(tokens[i].kind) == TokenRole::open) ++depth;
    if (role(tokens[i].kind) == TokenRole::close && --depth == 0) return i;
  }
  return std::nullopt;
}

// How many arguments stand between these parentheses?
std::size_t arguments_in(const Tokens& tokens, std::size_t open, std::size_t close) {
  int depth = 0;
  std::size_t count = open + 1 == close ? 0 : 1;
  for (std::size_t i = open; i < close; ++i) {
    if (role(tokens[i].kind) == TokenRole::open) ++depth;
    if (role(tokens[i].kind) == TokenRole::close) --depth;
    if (tokens[i].kind == TokenKind::comma && depth == 1 && i + 1 != close) ++count;
  }
  return count;
}

// `slope`, or `slope1, slope2` for two parameters.
std::string slopes(std::size_t count) {
  if (count < 2) return "slope";
  std::string names;
  for (std::size_t k = 1; k <= count; ++k) names += fmt::format("{}slope{}", k == 1 ? "" : ", ", k);
  return names;
}

// Do parameters with their types stand at `open`, and after them what follows those of a function: `(a: f32) = a`?
bool is_declaration(const Tokens& tokens, std::size_t open) {
  const auto close = closing(tokens, open);
  if (!close || *close + 1 == tokens.size()) return false;
  int depth = 0;
  for (std::size_t i = open; i < *close; ++i) {
    if (role(tokens[i].kind) == TokenRole::open) ++depth;
    if (role(tokens[i].kind) == TokenRole::close) --depth;
    if (tokens[i].kind == TokenKind::assign) return false;  // a parameter has no other value
    const bool is_next = depth == 1 && (i == open || tokens[i].kind == TokenKind::comma) && i + 1 != *close;
    if (is_next && (role(tokens[i + 1].kind) != TokenRole::word || tokens[i + 2].kind != TokenKind::colon))
      return false;
  }
  const TokenKind after = tokens[*close + 1].kind;
  const bool is_arrow_function = after == TokenKind::assign && *close + 2 < tokens.size() &&
                                 tokens[*close + 2].kind == TokenKind::greater;  // `=>`
  constexpr std::array kAfter = {TokenKind::assign, TokenKind::arrow, TokenKind::left_brace};
  return !is_arrow_function && std::find(kAfter.begin(), kAfter.end(), after) != kAfter.end();
}

}  // namespace

std::optional<std::string> help_for_file(const Place& p) {
  if (p.is_first()) return std::nullopt;
  const Tokens& tokens = p.tokens();
  std::size_t first = p.index();
  while (first > 0 && may_be_in_path(tokens[first - 1].kind)) --first;
  std::size_t end = p.index();
  while (end < tokens.size() && may_be_in_path(tokens[end].kind)) ++end;
  if (first < 2 || end == first || end == tokens.size()) return std::nullopt;
  const bool is_loaded = tokens[first - 1].kind == TokenKind::left_paren && p.text(tokens[first - 2]) == "load";
  const bool is_saved = tokens[first - 1].kind == TokenKind::comma && p.expects(TokenKind::string) &&
                        std::any_of(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(first), [](Token t) {
                          return t.kind == TokenKind::save || t.kind == TokenKind::save_shards;
                        });
  const std::string_view path = p.text(first, end - 1);
  if ((!is_loaded && !is_saved) || path.find('.') == std::string_view::npos || !is_quotable(path)) return std::nullopt;
  return fmt::format("the name of a file stands between quotes: `\"{}\"`", path);
}

std::optional<std::string> help_for_gradient(const Place& p) {
  const Tokens& tokens = p.tokens();
  if (p.index() < 2 || p.before().kind != TokenKind::right_paren) return std::nullopt;
  const auto open = opening(tokens, p.index() - 1);
  if (!open || *open == 0) return std::nullopt;
  const auto name_at = [&](std::size_t at) {
    return role(tokens[at].kind) == TokenRole::word ? p.text(tokens[at]) : "";
  };
  const auto is_taker = [&](std::size_t at) {
    constexpr std::array<std::string_view, 3> kTakers = {"grad", "gradient", "value_and_grad"};
    return std::find(kTakers.begin(), kTakers.end(), name_at(at)) != kTakers.end();
  };
  if (!is_taker(*open - 1)) return std::nullopt;
  const auto close = closing(tokens, p.index());
  const std::string_view written = close ? p.text(p.index(), *close) : "(a)";
  const std::string_view arguments = is_quotable(written) ? written : "(a)";
  const std::size_t count = close && is_quotable(written) ? arguments_in(tokens, p.index(), *close) : 1;
  const std::size_t inside = p.index() - 1 - (*open + 1);  // tokens between the taker's parentheses
  const std::string function = inside == 1 ? name_at(*open + 1) : "";
  if (!function.empty())
    return fmt::format("functions are not values; the gradient of a function `{}` is `let (value, {}) = grad({}){}`",
                       function, slopes(count), function, arguments);
  const bool is_nested = inside == 4 && is_taker(*open + 1) && !is_taker(*open + 3);
  const std::string inner = is_nested ? name_at(*open + 3) : "";
  if (inner.empty()) return "`grad` takes the name of a function, which is declared by `fn f(a: f32[8]) = ...`";
  if (count != 1)
    return "`grad` takes the name of a function: put the inner gradient into one whose result is a scalar";
  return fmt::format(
      "`grad` takes the name of a function: put the inner gradient into one, `fn slope(a: T) = {{ let (y, d) = "
      "grad({})(a); sum(d) }}` with the type of its parameter for `T`, then write `let (value, second) = "
      "grad(slope){}`",
      inner, arguments);
}

std::optional<std::string> help_for_statement(const Place& p) {
  if (!p.expects_expression() || role(p.found().kind) != TokenRole::statement) return std::nullopt;
  const Tokens& tokens = p.tokens();
  if (p.is(TokenKind::let)) {
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(p.index());
    const auto assign = std::find_if(begin, tokens.end(), [](Token t) { return t.kind == TokenKind::assign; });
    if (assign == tokens.end()) return "a value stands here: leave `let` and the name out";
    const std::string_view bound = p.text(p.index(), static_cast<std::size_t>(assign - tokens.begin()));
    return fmt::format("a value stands here: leave `{}` out", is_quotable(bound) ? bound : "let ... =");
  }
  if (p.is(TokenKind::fn)) {
    const bool is_named = p.before().kind == TokenKind::assign && p.token(-2).kind == TokenKind::name &&
                          p.token(-3).kind == TokenKind::let && p.token(1).kind == TokenKind::left_paren;
    const bool is_whole = is_named && is_declaration(tokens, p.index() + 1);
    const std::string_view rest = is_whole ? p.text(p.index() + 1, tokens.size() - 1) : "";
    const std::string written = fmt::format("{}{}", is_named ? p.text(p.token(-2)) : "f",
                                            is_whole && is_quotable(rest) ? rest : "(a: f32[8]) = ...");
    return fmt::format("a function is no value; it is declared by `fn {}`", written);
  }
  if (p.is(TokenKind::mesh)) return "a mesh is no value; it is declared by `mesh m = [x: 4, y: 2]`";
  return fmt::format("a value stands here, and `{}` is a statement, which has none", p.text());
}

}  // namespace tessera::frontend
