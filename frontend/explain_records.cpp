#include "frontend/explain_records.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "frontend/expected.hpp"
#include "frontend/kinds.hpp"

namespace tessera::frontend {

using base::make;
using Answer = std::optional<base::Diagnostic>;

namespace {

// `x.at[1:3].set(v)`: the part that is set, if the point stands behind one.
void find_part(const Place& p, int dot, Member& member) {
  int open = dot - 1;
  if (p.token(open).kind != TokenKind::right_square) return;
  int depth = 1;
  for (; depth > 0 && p.token(open - 1).kind != TokenKind::end;) {
    const TokenKind kind = p.token(--open).kind;
    depth += kind == TokenKind::right_square ? 1 : kind == TokenKind::left_square ? -1 : 0;
  }
  const bool is_at = p.text(p.token(open - 1)) == "at" && p.token(open - 2).kind == TokenKind::dot;
  if (depth > 0 || !is_at || p.token(open - 3).kind != TokenKind::name) return;
  member.of = p.text(p.token(open - 3));
  member.part = p.sentence_text().substr(p.token(open).begin, p.token(dot - 1).end - p.token(open).begin);
}

}  // namespace

Member member_at(const Place& p, int dot) {
  const Token of = p.token(dot - 1);
  Member member{of.kind == TokenKind::name ? p.text(of) : "a", p.text(p.token(dot + 1)), ""};
  find_part(p, dot, member);
  const auto goes_on = [&](int at) {
    return p.token(at).kind == TokenKind::dot && p.token(at).end == p.token(at + 1).begin;
  };
  int at = dot + 2;
  for (; is_library(p.text(of)) && goes_on(at); at += 2) {
    member.of += "." + member.name;
    member.name = p.text(p.token(at + 1));
  }
  if (p.token(at).kind != TokenKind::left_paren) return member;
  for (int i = at + 1; p.token(i).kind == TokenKind::integer; i += 2) {
    member.arguments += (member.arguments.empty() ? "" : ", ") + p.text(p.token(i));
    if (p.token(i + 1).kind == TokenKind::right_paren) break;
    if (p.token(i + 1).kind == TokenKind::comma && p.token(i + 2).kind == TokenKind::integer) continue;
    member.arguments.clear();
    break;
  }
  for (++at; goes_on(at + 1); at += 2) continue;
  member.argument = p.text(p.token(at));
  return member;
}

Answer called_member(const Place& p) {
  const bool is_call = p.is(TokenKind::left_paren) && role(p.before().kind) == TokenRole::word;
  const bool is_word = is_keyword(p.found().kind) && p.attached();
  int dot = is_call ? -2 : -1;
  if (!(is_call || is_word) || p.token(dot).kind != TokenKind::dot) return std::nullopt;
  while (p.token(dot - 2).kind == TokenKind::dot) dot -= 2;
  const Token first = p.token(dot);
  if (p.token(dot - 1).end != first.begin) return std::nullopt;
  auto why = make(Kind::unknown_character, ".").at(p.span(first));
  why.message = "`.` has no meaning here";
  return std::move(why).suggest(help_for_member(member_at(p, dot), p.functions()));
}

Answer written_as_no_record(const Place& p) {
  const bool in_brace = p.token(-2).kind == TokenKind::left_brace;
  const auto why = [&](std::string help) { return expected_and_found(p).suggest(std::move(help)); };
  if (p.is(TokenKind::colon) && p.before().kind == TokenKind::string &&
      (in_brace || p.token(-2).kind == TokenKind::comma))
    return why("the name of a field stands without quotes, as in `{w: a, b: c}`");
  if (p.is(TokenKind::power) && p.before().kind == TokenKind::left_brace)
    return why("`{..p, w: a}` is the record p with another value in a field");
  if (!in_brace || role(p.before().kind) != TokenRole::word) return std::nullopt;
  if (p.is(TokenKind::colon))
    return why(fmt::format("a block ends in its value, and a record has braces of its own: `{{ {{{}: ...}} }}`",
                           p.text(p.before())));
  if (!p.is(TokenKind::assign)) return std::nullopt;
  int depth = 0;
  for (int at = 1; p.token(at).kind != TokenKind::end && depth >= 0; ++at) {
    const TokenRole what = role(p.token(at).kind);
    depth += what == TokenRole::open ? 1 : what == TokenRole::close ? -1 : 0;
    if (depth == 0 && p.token(at).kind == TokenKind::comma)
      return why(fmt::format("a record's fields stand before colons, as in `{{{}: a, b: c}}`", p.text(p.before())));
  }
  return std::nullopt;
}

}  // namespace tessera::frontend
