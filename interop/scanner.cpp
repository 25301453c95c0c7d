#include "interop/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interop/kinds.hpp"

namespace tessera::interop {

namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '.' || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void Scanner::skip_blanks() {
  while (at_ < text_.text.size() && is_blank(text_.text[at_])) ++at_;
}

bool Scanner::sees(std::string_view word) {
  skip_blanks();
  return text_.text.substr(at_).starts_with(word);
}

bool Scanner::take(std::string_view word) {
  if (!sees(word)) return false;
  // `T` is not the beginning of another word.
  const std::size_t end = at_ + word.size();
  const bool is_word = !word.empty() && continues_name(word.back()) && begins_name(word.front());
  if (is_word && end < text_.text.size() && (begins_name(text_.text[end]) || is_digit(text_.text[end]))) return false;
  at_ = end;
  return true;
}

std::optional<std::int64_t> Scanner::number() {
  skip_blanks();
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  std::int64_t value = 0;
  std::size_t end = at_;
  for (; end < text_.text.size() && is_digit(text_.text[end]); ++end) {
    const std::int64_t digit = text_.text[end] - '0';
    if (value > (kMost - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  if (end == at_) return std::nullopt;
  at_ = end;
  return value;
}

std::string_view Scanner::name() {
  skip_blanks();
  std::size_t end = at_;
  if (end < text_.text.size() && begins_name(text_.text[end])) {
    while (end < text_.text.size() && continues_name(text_.text[end])) ++end;
  }
  const std::string_view found = text_.text.substr(at_, end - at_);
  at_ = end;
  return found;
}

std::optional<std::string> Scanner::quoted() {
  skip_blanks();
  if (at_ >= text_.text.size()) return std::nullopt;
  const char quote = text_.text[at_];
  if (quote != '\'' && quote != '"') return std::nullopt;
  const std::size_t end = text_.text.find(quote, at_ + 1);
  if (end == std::string_view::npos) return std::nullopt;
  std::string found(text_.text.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return found;
}

bool Scanner::skip_to_closing() {
  std::int64_t open = 1;
  for (; at_ < text_.text.size(); ++at_) {
    const char c = text_.text[at_];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++open;
    if (c == ')' || c == ']' || c == '}' || c == '>') --open;
    if (open > 0) continue;
    ++at_;
    return true;
  }
  return false;
}

bool Scanner::at_end() {
  skip_blanks();
  return at_ == text_.text.size();
}

base::Span Scanner::span(std::uint32_t begin) const {
  return {text_.source, begin, std::max(offset(), std::min(begin + 1, static_cast<std::uint32_t>(text_.text.size())))};
}

base::Span Scanner::here() {
  skip_blanks();
  const auto end = static_cast<std::uint32_t>(std::min(at_ + 1, text_.text.size()));
  return {text_.source, offset(), end};
}

base::Diagnostic Scanner::wrong(std::string_view why) {
  return base::make(Kind::interop_syntax, text_.what, why).at(here());
}

base::Diagnostic Scanner::wrong_from(std::uint32_t begin, std::string_view why) const {
  return base::make(Kind::interop_syntax, text_.what, why).at(span(begin));
}

base::Diagnostic Scanner::unsupported(std::uint32_t begin, std::string_view what, std::string_view why) const {
  return base::make(Kind::interop_unsupported, what, why).at(span(begin));
}

base::Status Scanner::expect(std::string_view word) {
  if (take(word)) return base::Done{};
  return wrong(fmt::format("`{}` is wanted here", word));
}

base::Status Scanner::expect_end() {
  if (at_end()) return base::Done{};
  return wrong("nothing may follow here");
}

}  // namespace tessera::interop
