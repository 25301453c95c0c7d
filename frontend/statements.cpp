#include "frontend/statements.hpp"

#include <algorithm>
#include <utility>

#include "frontend/explain.hpp"
#include "frontend/kinds.hpp"

namespace tessera::frontend {

using base::make;

std::optional<Piece> StatementCutter::next() {
  piece_ = {};
  open_.clear();
  is_record_.clear();
  open_of_kind_.fill(0);
  nesting_ = {};
  bad_.reset();
  if (!skip_to_statement()) return std::nullopt;
  while (at_ < tokens_.size() && take(tokens_[at_])) {
  }
  if (at_ == tokens_.size()) end_of_text();
  while (!piece_.tokens.empty() && piece_.tokens.back().kind == TokenKind::end) piece_.tokens.pop_back();
  return std::move(piece_);
}

bool StatementCutter::skip_to_statement() {
  const auto is_empty = [](TokenKind kind) {
    return kind == TokenKind::newline || kind == TokenKind::semicolon || kind == TokenKind::comment;
  };
  while (at_ < tokens_.size() && is_empty(tokens_[at_].kind)) ++at_;
  return at_ < tokens_.size();
}

bool StatementCutter::take(const Token& token) {
  const TokenRole what = role(token.kind);
  if (what == TokenRole::statement && first_on_line(token) && leave_unclosed()) return false;
  ++at_;
  if (token.kind == TokenKind::comment) return true;
  if (token.kind == TokenKind::newline || token.kind == TokenKind::semicolon) return take_separator(token);
  if (what == TokenRole::open) {
    take_open(token);
  } else if (what == TokenRole::close) {
    take_close(token);
  } else {
    take_other(token);
  }
  if (nesting_.depth() > nesting_max_ && !piece_.error) {
    fail(make(Kind::nested_too_deeply, nesting_max_).at(span(token)).suggest("name the inner parts with `let` first"));
  }
  return true;
}

bool StatementCutter::take_separator(const Token& token) {
  const bool newline = token.kind == TokenKind::newline;
  if (newline) skip_space();
  if (newline && newline_is_space()) return true;
  if (open_.empty()) return false;
  const TokenKind last = piece_.tokens.back().kind;
  const bool nothing_to_end = last == TokenKind::end || last == TokenKind::left_brace;
  if (directly_in_brace() && nothing_to_end) return true;
  nesting_.see(TokenKind::end);
  piece_.tokens.push_back({TokenKind::end, token.begin, token.end});
  return true;
}

void StatementCutter::skip_space() {
  while (at_ < tokens_.size() && role(tokens_[at_].kind) == TokenRole::space) ++at_;
}

// Directly inside `( )` and `[ ]`, after a token that wants more, and before `else`.
bool StatementCutter::newline_is_space() const {
  if (!open_.empty() && !directly_in_brace()) return true;
  if (!piece_.tokens.empty() && continues_line(piece_.tokens.back().kind)) return true;
  return at_ < tokens_.size() && tokens_[at_].kind == TokenKind::else_;
}

bool StatementCutter::begins_record() const {
  std::size_t at = at_;
  const auto skip = [&] {
    while (at < tokens_.size() && role(tokens_[at].kind) == TokenRole::space) ++at;
    return at < tokens_.size();
  };
  if (!skip()) return false;
  if (tokens_[at].kind == TokenKind::spread) return true;
  if (role(tokens_[at++].kind) != TokenRole::word || !skip()) return false;
  return tokens_[at].kind == TokenKind::colon;
}

void StatementCutter::take_open(const Token& token) {
  open_.push_back(token);
  is_record_.push_back(token.kind == TokenKind::left_brace && begins_record());
  ++open_of_kind_[static_cast<std::size_t>(closer_of(token.kind))];
  nesting_.open();
  piece_.tokens.push_back(token);
}

void StatementCutter::pop() {
  nesting_.close(open_.back().kind);
  --open_of_kind_[static_cast<std::size_t>(closer_of(open_.back().kind))];
  open_.pop_back();
  is_record_.pop_back();
}

void StatementCutter::take_close(const Token& token) {
  piece_.tokens.push_back(token);
  const auto fits = [&](const Token& bracket) { return closer_of(bracket.kind) == token.kind; };
  if (open_of_kind_[static_cast<std::size_t>(token.kind)] > 0) {
    if (!fits(open_.back())) fail_unclosed(open_.back(), token);
    while (!fits(open_.back())) pop();
    pop();
    return;
  }
  auto why = make(Kind::unmatched_bracket, spelling(token.kind)).at(span(token));
  if (open_.empty() || directly_in_brace()) return fail(std::move(why));
  const Token bracket = open_.back();
  const auto closer = spelling(closer_of(bracket.kind));
  fail(std::move(why).also(span(bracket), fmt::format("this is open, and `{}` closes it", closer)));
  pop();
}

void StatementCutter::take_other(const Token& token) {
  if (role(token.kind) == TokenRole::bad && !bad_) bad_ = token;
  nesting_.see(token.kind);
  piece_.tokens.push_back(token);
}

bool StatementCutter::first_on_line(const Token& token) const {
  const auto before = text_.substr(0, token.begin);
  const auto last = before.find_last_not_of(" \t");
  return last == std::string_view::npos || before[last] == '\n';
}

// A statement cannot begin directly inside `( )` or `[ ]`: what is open there was never closed. True if the statement
// at hand ends with that; inside a block it goes on.
bool StatementCutter::leave_unclosed() {
  if (open_.empty() || directly_in_brace()) return false;
  fail_unclosed(open_.back());
  while (!open_.empty() && !directly_in_brace()) pop();
  return open_.empty();
}

// If a bracket stays open to the end of the text, the next statement is taken to be the first that begins without
// any indentation after it. That is done a few times only: each time the text is gone through to its end.
void StatementCutter::end_of_text() {
  if (open_.empty()) {
    piece_.open_at_end = !piece_.tokens.empty() && continues_line(piece_.tokens.back().kind);
    return;
  }
  piece_.open_at_end = !piece_.error && !bad_;
  fail_unclosed(open_.back());
  const auto outermost = open_.front().begin;
  const auto begins = [&](const Token& token) {
    return token.begin > outermost && role(token.kind) == TokenRole::statement && text_[token.begin - 1] == '\n';
  };
  constexpr std::size_t kRestartsMax = 4;
  if (restarts_++ == kRestartsMax) return;
  at_ = static_cast<std::size_t>(std::find_if(tokens_.begin(), tokens_.end(), begins) - tokens_.begin());
}

// The first error of a statement counts; a word that no program holds comes before the brackets it may have swallowed.
void StatementCutter::fail(base::Diagnostic why) {
  if (piece_.error) return;
  piece_.error = bad_ ? explain_word(*bad_, text_, source_) : std::move(why);
}

void StatementCutter::fail_unclosed(const Token& bracket, std::optional<Token> instead) {
  const auto closer = spelling(closer_of(bracket.kind));
  auto why = make(Kind::unclosed_bracket, spelling(bracket.kind))
                 .at(span(bracket))
                 .suggest(fmt::format("add the `{}` that belongs to it", closer));
  if (instead) why.labels.push_back({span(*instead), fmt::format("this comes before any `{}`", closer), false});
  fail(std::move(why));
}

}  // namespace tessera::frontend
