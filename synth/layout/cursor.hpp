// Private to synth: a position in a small text, for the readers of meshes, types and programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace tessera::synth {

// A text as messages quote it: whole code points, and not more than one line can hold.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kBytesMax = 80;
  std::string quoted;
  while (!text.empty() && quoted.size() < kBytesMax) {
    const std::size_t length = base::valid_sequence_length(text);
    const bool printable = length > 1 || (length == 1 && text[0] >= ' ' && text[0] != '\x7f');
    quoted += printable ? text.substr(0, length) : std::string_view("?");
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return text.empty() ? quoted : quoted + "...";
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Names are letters, digits and `_`; every byte beyond ASCII counts as a letter.
constexpr bool is_name_byte(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t offset() const { return offset_; }
  bool at_end() const { return offset_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[offset_]; }
  void advance() { ++offset_; }
  void skip_blanks() {
    while (!at_end() && (peek() == ' ' || peek() == '\t')) advance();
  }

  // Blanks before any of these are skipped.
  bool accept(char wanted) {
    skip_blanks();
    if (at_end() || peek() != wanted) return false;
    advance();
    return true;
  }
  bool accept(std::string_view wanted) {
    skip_blanks();
    if (!text_.substr(offset_).starts_with(wanted)) return false;
    offset_ += wanted.size();
    return true;
  }
  // Empty where no name stands.
  std::string_view name() {
    skip_blanks();
    if (is_digit(peek())) return {};
    return bytes_while(is_name_byte);
  }
  // The digits of a number; empty where none stand.
  std::string_view digits() {
    skip_blanks();
    return bytes_while(is_digit);
  }
  template <class Predicate>
  std::string_view bytes_while(Predicate keep) {
    const std::size_t begin = offset_;
    while (!at_end() && keep(peek())) advance();
    return text_.substr(begin, offset_ - begin);
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
};

// The value of a text of digits; nothing if there are none, something else, or the value does not fit 63 bits.
inline std::optional<std::int64_t> integer_value(std::string_view digits) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (digits.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    const std::int64_t digit = c - '0';
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace tessera::synth
