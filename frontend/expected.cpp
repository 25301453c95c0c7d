#include "frontend/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/kinds.hpp"
#include "frontend/meant.hpp"

namespace tessera::frontend {

using base::Diagnostic;
using base::make;

std::string found_words(const Place& p) {
  const Token found = p.found();
  if (found.kind != TokenKind::end) return fmt::format("`{}`", p.text());
  if (p.text() == ";") return "`;`";
  return "the end of the line";
}

namespace {

// The tokens that begin an expression, but for those that also begin a type or a name.
constexpr std::array kExpressionFirst = {
    TokenKind::integer, TokenKind::real,       TokenKind::imaginary,   TokenKind::string,     TokenKind::true_,
    TokenKind::false_,  TokenKind::left_paren, TokenKind::left_square, TokenKind::left_brace, TokenKind::local,
    TokenKind::loop,    TokenKind::if_,        TokenKind::logical_not, TokenKind::minus,      TokenKind::bit_not};
constexpr std::array kNames = {TokenKind::name,      TokenKind::max,      TokenKind::min,  TokenKind::grad,
                               TokenKind::again,     TokenKind::pipeline, TokenKind::scan, TokenKind::by,
                               TokenKind::const_,    TokenKind::auto_,    TokenKind::over, TokenKind::use,
                               TokenKind::underscore};
constexpr std::array kElementFirst = {TokenKind::bool_, TokenKind::i32, TokenKind::i64, TokenKind::f32, TokenKind::f64,
                                      TokenKind::bf16,  TokenKind::f16, TokenKind::i8,  TokenKind::u8,  TokenKind::i16,
                                      TokenKind::u16,   TokenKind::u32, TokenKind::c64, TokenKind::c128};

template <class Kinds>
void remove(TokenKinds& set, const Kinds& kinds) {
  for (const TokenKind kind : kinds) set.reset(static_cast<std::size_t>(kind));
}

TokenKinds without_operators(TokenKinds kinds) {
  for (std::size_t i = 0; i < kTokenKinds; ++i) {
    if (is_binary(static_cast<TokenKind>(i))) kinds.reset(i);
  }
  return kinds;
}

// The tokens that begin a statement of a block.
constexpr std::array kBlockFirst = {TokenKind::let,  TokenKind::assert_, TokenKind::print,
                                    TokenKind::show, TokenKind::save,    TokenKind::save_shards};

// The expected tokens in words, the largest notion first.
std::vector<std::string> expected_notions(const Place& p) {
  TokenKinds left = p.expected();
  // Names, or what nobody has to write.
  remove(left, std::array{TokenKind::auto_, TokenKind::over, TokenKind::dot, TokenKind::spread});
  std::vector<std::string> notions;
  const auto has = [&](TokenKind kind) { return left.test(static_cast<std::size_t>(kind)); };
  if (has(TokenKind::mesh)) return {"a statement"};
  if (has(TokenKind::integer) && has(TokenKind::left_paren) && has(TokenKind::minus)) {
    notions.emplace_back("an expression");
    remove(left, kExpressionFirst);
    remove(left, kNames);
    remove(left, kElementFirst);
  } else if (has(TokenKind::f32)) {
    notions.emplace_back("a type");
    remove(left, kElementFirst);
    remove(left, std::array{TokenKind::left_brace});
  } else if (has(TokenKind::integer) && has(TokenKind::name)) {
    notions.emplace_back("an extent");
    remove(left, kNames);
    remove(left, std::array{TokenKind::integer, TokenKind::left_paren});
  } else if (has(TokenKind::name)) {
    notions.emplace_back("a name");
    remove(left, kNames);
  }
  if (has(TokenKind::print)) {
    notions.emplace_back("a statement");
    remove(left, kBlockFirst);
  }
  const bool only_operators = notions.empty() && without_operators(left).none();
  const bool may_end = notions.empty() && has(TokenKind::right_brace) && has(TokenKind::end);
  for (std::size_t i = 0; i < kTokenKinds; ++i) {
    const auto kind = static_cast<TokenKind>(i);
    if (!left.test(i) || (is_binary(kind) && !only_operators) || kind == TokenKind::end) continue;
    // What may go on where something else may end is not named beside it.
    const bool goes_on = kind == TokenKind::as || kind == TokenKind::left_paren || kind == TokenKind::left_square;
    if ((goes_on && may_end) || (kind == TokenKind::with && has(TokenKind::as)) ||
        (kind == TokenKind::while_ && has(TokenKind::left_brace)) ||
        (kind == TokenKind::colon && has(TokenKind::right_brace)))
      continue;
    const bool fixed = role(kind) != TokenRole::literal;
    notions.push_back(fixed ? fmt::format("`{}`", spelling(kind)) : std::string(spelling(kind)));
  }
  if (has(TokenKind::end)) notions.emplace_back("the end of the statement");
  return notions;
}

std::string joined(const std::vector<std::string>& notions) {
  constexpr std::size_t kNotionsMax = 4;
  if (notions.empty() || notions.size() > kNotionsMax) return "something else";
  std::string text = notions[0];
  for (std::size_t i = 1; i < notions.size(); ++i) text += (i + 1 == notions.size() ? " or " : ", ") + notions[i];
  return text;
}

// A hint for a token that is common at the wrong place.
struct Hint {
  bool (*fits)(const Place&);
  std::string_view help;
};
bool follows_type(const Place& p) {
  return p.before().kind == TokenKind::right_square || role(p.before().kind) == TokenRole::element;
}
bool first_is(const Place& p, TokenKind kind) { return p.tokens().front().kind == kind; }

bool is_saving(const Place& p) {
  const Tokens before = p.tokens().first(p.index());
  return std::any_of(before.begin(), before.end(), [](const Token& token) {
    return token.kind == TokenKind::save || token.kind == TokenKind::save_shards;
  });
}

constexpr Hint kHints[] = {
    {[](const Place& p) { return p.is(TokenKind::name) && p.expects(TokenKind::string) && is_saving(p); },
     "the name of a string stands in braces, as in `save(a, \"{path}\")`"},
    {[](const Place& p) { return (p.is(TokenKind::left_brace) || p.is(TokenKind::plus)) && follows_type(p); },
     "a pending reduction is written `{+x}`, `{*x}`, `{max x}` or `{min x}`"},
    {[](const Place& p) {
       const bool is_extent = p.is(TokenKind::integer) || p.is(TokenKind::left_paren);
       return is_extent && role(p.before().kind) == TokenRole::element;
     },
     "extents stand in square brackets, as in `f32[8]`"},
    {[](const Place& p) { return (p.is(TokenKind::arrow) || p.text() == "to") && p.expects(TokenKind::end); },
     "a value gets another type with `as`, as in `a as f32[8@x]`"},
    {[](const Place& p) { return p.is(TokenKind::left_square) && p.expects_type(); },
     "begin with the element type, as in `f32[...]`"},
    {[](const Place& p) { return p.before().kind == TokenKind::use && p.index() == 1 && !p.is(TokenKind::end); },
     "a file's name is a string, as in `use \"layers.tess\"`"},
    {[](const Place& p) { return p.before().kind == TokenKind::use && p.is(TokenKind::string); },
     "`use` stands outside of functions and blocks"},
    {[](const Place& p) { return p.is(TokenKind::within); }, "`within` stands after `as T`"},
    {[](const Place& p) { return p.is(TokenKind::question) && p.after_operand(); }, "write `if c { a } else { b }`"},
    {[](const Place& p) { return p.is(TokenKind::left_paren) && first_is(p, TokenKind::let) && p.index() == 2; },
     "a function is written `fn f(a: f32[8]) = ...`"},
    {[](const Place& p) { return p.is(TokenKind::colon) && p.expects(TokenKind::arrow); },
     "the type of the result stands after `->`"},
    {[](const Place& p) { return p.is(TokenKind::greater) && p.before().kind == TokenKind::assign; },
     "the body stands after `=`, or between `{` and `}`"},
    {[](const Place& p) { return p.is(TokenKind::end) && p.expects(TokenKind::left_brace) && !p.expects_expression(); },
     "the `{` stands on the same line"},
    {[](const Place& p) { return is_keyword(p.found().kind) && p.expects_expression(); },
     "this word is a keyword and cannot be a name"},
    {[](const Place& p) { return p.is(TokenKind::right_paren) && p.before().kind == TokenKind::left_paren; },
     "there is no empty tuple"},
    {[](const Place& p) {
       return p.is(TokenKind::comma) && p.expects(TokenKind::right_brace) && p.expects(TokenKind::end);
     },
     "several values stand in parentheses, as in `(a, b)`, and a record names its fields, as in `{x: a, y: b}`"},
    {[](const Place& p) {
       return p.is(TokenKind::colon) && p.before().kind == TokenKind::name && p.expects(TokenKind::comma);
     },
     "an argument is named with `=`, as in `dim=0`"},
};

// How a statement or a loop is written: the help for a mistake before the part that may be anything.
struct Form {
  TokenKind keyword;
  bool (*ends)(TokenKind);  // the token at which that part begins
  std::string_view help;
};
constexpr Form kForms[] = {
    {TokenKind::mesh, [](TokenKind) { return false; }, "write `mesh m = [x: 4, y: 2]`"},
    {TokenKind::let, [](TokenKind kind) { return kind == TokenKind::assign; },
     "write `let a = ...`, or `let a: f32[8] = ...`"},
    {TokenKind::fn, [](TokenKind kind) { return kind == TokenKind::assign || kind == TokenKind::left_brace; },
     "write `fn f(a: f32[8]) -> f32[8] = ...`"},
    {TokenKind::save, [](TokenKind) { return false; }, "write `save(a, \"a.npy\")`"},
    {TokenKind::save_shards, [](TokenKind) { return false; }, "write `save_shards(a, \"a\")`"},
    {TokenKind::loop, [](TokenKind kind) { return kind == TokenKind::left_brace; },
     "write `loop w = w0 for i < n { ... }`"},
};

// The form of what the nearest keyword to the left begins.
std::optional<std::string_view> help_by_form(const Place& p) {
  for (std::size_t i = p.index(); i-- > 0;) {
    const auto form = std::find_if(std::begin(kForms), std::end(kForms),
                                   [&](const Form& f) { return f.keyword == p.tokens()[i].kind; });
    if (form == std::end(kForms)) continue;
    const Tokens since = p.tokens().subspan(i, p.index() - i);
    const bool is_over = std::any_of(since.begin(), since.end(), [&](const Token& t) { return form->ends(t.kind); });
    return is_over ? std::nullopt : std::optional(form->help);
  }
  return std::nullopt;
}

}  // namespace

Diagnostic expected_and_found(const Place& p) {
  auto why = make(Kind::syntax_error, joined(expected_notions(p)), found_words(p)).at(p.span());
  for (const auto remedy : {help_for_file, help_for_statement}) {
    if (auto help = remedy(p)) return std::move(why).suggest(std::move(*help));
  }
  for (const Hint& hint : kHints) {
    if (hint.fits(p)) return std::move(why).suggest(std::string(hint.help));
  }
  if (const auto help = help_by_form(p)) return std::move(why).suggest(std::string(*help));
  return why;
}

}  // namespace tessera::frontend
