#include "frontend/token.hpp"

#include <array>

#include "base/check.hpp"
#include "base/utf8.hpp"

namespace tessera::frontend {

namespace {

struct TokenInfo {
  std::string_view spelling;
  TokenRole role;
};

constexpr std::array<TokenInfo, kTokenKinds> kInfo = {{
#define INFO(identifier, lexer_name, spelling, role) TokenInfo{spelling, TokenRole::role},
    TESSERA_TOKENS(INFO)
#undef INFO
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes digits, with single `_` between them, off the front; how many characters that was.
std::size_t take_digits(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const bool joined = text[length] == '_' && length > 0 && length + 1 < text.size() && is_digit(text[length + 1]);
    if (!is_digit(text[length]) && !joined) break;
    ++length;
  }
  text.remove_prefix(length);
  return length;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string_view spelling(TokenKind kind) { return kInfo[static_cast<std::size_t>(kind)].spelling; }

TokenRole role(TokenKind kind) { return kInfo[static_cast<std::size_t>(kind)].role; }

bool continues_line(TokenKind kind) {
  constexpr std::array kContinuing = {TokenKind::comma,      TokenKind::assign, TokenKind::arrow,  TokenKind::colon,
                                      TokenKind::left_brace, TokenKind::as,     TokenKind::with,   TokenKind::within,
                                      TokenKind::on,         TokenKind::for_,   TokenKind::while_, TokenKind::else_};
  if (is_binary(kind)) return true;
  for (const TokenKind continuing : kContinuing) {
    if (kind == continuing) return true;
  }
  return false;
}

TokenKind closer_of(TokenKind open) {
  if (open == TokenKind::left_paren) return TokenKind::right_paren;
  if (open == TokenKind::left_square) return TokenKind::right_square;
  TESSERA_CHECK(open == TokenKind::left_brace, "not an opening bracket");
  return TokenKind::right_brace;
}

bool is_name(std::string_view text) {
  if (text.empty() || !base::is_letter(text[0]) || base::first_invalid_byte(text)) return false;
  for (const char c : text) {
    if (!base::is_in_word(c)) return false;
  }
  for (std::size_t kind = 0; kind < kTokenKinds; ++kind) {
    if (is_keyword(static_cast<TokenKind>(kind)) && spelling(static_cast<TokenKind>(kind)) == text) return false;
  }
  return true;
}

bool is_real_literal(std::string_view text) {
  const std::size_t whole = take_digits(text);
  const bool point = take_one_of(text, ".");
  const std::size_t fraction = point ? take_digits(text) : 0;
  if (whole + fraction == 0) return false;
  if (text.empty()) return point;
  if (!take_one_of(text, "eE")) return false;
  take_one_of(text, "+-");
  return take_digits(text) > 0 && text.empty();
}

bool is_number(std::string_view text) {
  std::string_view digits = text;
  return is_real_literal(text) || (take_digits(digits) > 0 && digits.empty());
}

}  // namespace tessera::frontend
