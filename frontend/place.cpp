#include "frontend/place.hpp"

#include <algorithm>

#include "frontend/text.hpp"

namespace tessera::frontend {

namespace {

bool separates(TokenKind kind) {
  return kind == TokenKind::comma || kind == TokenKind::end || kind == TokenKind::assign || kind == TokenKind::colon ||
         kind == TokenKind::for_ || kind == TokenKind::if_;
}

}  // namespace

Place::Place(const Sentence& sentence, const Stop& stop)
    : sentence_(sentence), at_(std::min(stop.at, sentence.tokens.size())), expected_(stop.expected) {}

Token Place::token(int offset) const {
  const auto index = static_cast<std::ptrdiff_t>(at_) + offset;
  const Tokens& all = tokens();
  if (index >= 0 && index < static_cast<std::ptrdiff_t>(all.size())) return all[static_cast<std::size_t>(index)];
  const auto edge = index < 0 ? all.front().begin : all.back().end;
  return {TokenKind::end, edge, edge};
}

bool Place::after_operand() const {
  if (is_first() || expects_expression()) return false;
  const TokenKind kind = before().kind;
  const TokenRole what = role(kind);
  return what == TokenRole::word || what == TokenRole::literal || what == TokenRole::close ||
         kind == TokenKind::true_ || kind == TokenKind::false_;
}

std::optional<std::size_t> Place::left(const std::function<bool(TokenKind)>& condition) const {
  int depth = 0;
  for (std::size_t i = at_; i-- > 0;) {
    const TokenKind kind = tokens()[i].kind;
    if (role(kind) == TokenRole::close) ++depth;
    if (role(kind) == TokenRole::open && depth-- == 0) return std::nullopt;
    if (depth > 0) continue;
    if (condition(kind)) return i;
    if (separates(kind)) return std::nullopt;
  }
  return std::nullopt;
}

std::size_t Place::expression_begin() const {
  int depth = 0;
  for (std::size_t i = at_; i-- > 0;) {
    const TokenKind kind = tokens()[i].kind;
    if (role(kind) == TokenRole::close) ++depth;
    const bool opened = role(kind) == TokenRole::open && depth-- == 0;
    if (opened || (depth == 0 && (separates(kind) || role(kind) == TokenRole::statement))) return i + 1;
  }
  return 0;
}

std::string Place::text(const Token& token) const {
  return shortened(sentence_.text.substr(token.begin, token.end - token.begin));
}

std::string_view Place::text(std::size_t first, std::size_t last) const {
  return sentence_.text.substr(tokens()[first].begin, tokens()[last].end - tokens()[first].begin);
}

}  // namespace tessera::frontend
