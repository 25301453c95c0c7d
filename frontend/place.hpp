// The place where reading stopped, with what the rules of explain.cpp ask about it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.hpp"
#include "frontend/sentence.hpp"
#include "frontend/syntax.hpp"
#include "frontend/token.hpp"

namespace tessera::frontend {

class Place {
 public:
  // `sentence` must outlive the place.
  Place(const Sentence& sentence, const Stop& stop);

  Goal goal() const { return sentence_.goal; }

  // A token relative to the place: 0 is the one that was not expected. Past either end there is `end`, without extent.
  Token token(int offset) const;
  Token found() const { return token(0); }
  Token before() const { return token(-1); }
  bool is(TokenKind kind) const { return found().kind == kind; }
  bool is_first() const { return at_ == 0; }
  std::size_t index() const { return at_; }
  const Tokens& tokens() const { return sentence_.tokens; }

  bool expects(TokenKind kind) const { return expected_.test(static_cast<std::size_t>(kind)); }
  const TokenKinds& expected() const { return expected_; }
  bool expects_expression() const { return expects(TokenKind::integer) && expects(TokenKind::if_); }
  bool expects_type() const { return expects(TokenKind::f32) && !expects(TokenKind::integer); }
  bool expects_name() const { return expects(TokenKind::name) && !expects(TokenKind::integer); }
  // Has a whole operand just been read, so that an operator could have followed?
  bool after_operand() const;
  // Does the token touch the one before it?
  bool attached() const { return !is_first() && before().end == found().begin; }

  // The nearest token to the left, in the same brackets and after the last separator, that satisfies the condition.
  std::optional<std::size_t> left(const std::function<bool(TokenKind)>& condition) const;
  // The begin of the expression that ends before this place: after the last separator.
  std::size_t expression_begin() const;

  base::Span span(const Token& token) const { return {sentence_.source, token.begin, token.end}; }
  base::Span span() const { return span(found()); }
  // As written; a very long word is cut short.
  std::string text(const Token& token) const;
  std::string text() const { return text(found()); }
  std::string_view text(std::size_t first, std::size_t last) const;
  std::string_view sentence_text() const { return sentence_.text; }
  FunctionNames functions() const { return sentence_.functions; }

 private:
  const Sentence& sentence_;
  std::size_t at_;
  TokenKinds expected_;
};

}  // namespace tessera::frontend
