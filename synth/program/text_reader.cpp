// The words that programs as text are made of.
#include "synth/program/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synth/kinds.hpp"

namespace tessera::synth {

namespace {

std::optional<int> hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

}  // namespace

// ---- Words and numbers ----

void TextReader::skip() {
  while (!cursor_.at_end() && (cursor_.peek() == ' ' || cursor_.peek() == '\n')) cursor_.advance();
}

bool TextReader::at_end() {
  skip();
  return cursor_.at_end();
}

bool TextReader::accept_name(std::string_view wanted) {
  skip();
  const std::size_t end = cursor_.offset() + wanted.size();
  if (end < text_.size() && is_name_byte(text_[end])) return false;
  return cursor_.accept(wanted);
}

std::string_view TextReader::name() {
  skip();
  return cursor_.name();
}

std::string_view TextReader::numeral() {
  skip();
  return cursor_.bytes_while([](char c) { return c == '-' || c == '+' || c == '.' || is_name_byte(c); });
}

std::string_view TextReader::digits() {
  skip();
  return cursor_.digits();
}

std::string_view TextReader::rest_of_line() {
  cursor_.skip_blanks();
  return cursor_.bytes_while([](char c) { return c != '\n'; });
}

bool TextReader::accept(std::string_view wanted) {
  skip();
  return cursor_.accept(wanted);
}

base::Diagnostic TextReader::wrong(std::string_view why) const {
  const std::string_view before = text_.substr(0, cursor_.offset());
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  return base::make(Kind::bad_program_text, what_, line, why);
}

base::Status TextReader::expect(std::string_view wanted) {
  if (accept(wanted)) return base::Done{};
  return wrong(fmt::format("`{}` is missing", wanted));
}

base::Result<std::int64_t> TextReader::number(std::int64_t max) {
  skip();
  const bool negative = cursor_.accept('-');
  const auto value = integer_value(cursor_.digits());
  if (!value || *value > max) return wrong("a number is missing or too large");
  return negative ? -*value : *value;
}

base::Result<std::uint32_t> TextReader::id(std::string_view prefix, std::size_t count) {
  TESSERA_TRY_STATUS(expect(prefix));
  const auto value = integer_value(cursor_.digits());
  if (!value || static_cast<std::uint64_t>(*value) >= count) return wrong(fmt::format("no such `{}`", prefix));
  return static_cast<std::uint32_t>(*value);
}

base::Result<std::string> TextReader::quoted() {
  TESSERA_TRY_STATUS(expect("\""));
  std::string out;
  while (!cursor_.at_end() && cursor_.peek() != '"' && cursor_.peek() != '\n') {
    const char c = cursor_.peek();
    cursor_.advance();
    if (c != '\\') {
      out.push_back(c);
      continue;
    }
    TESSERA_TRY(escaped, escape());
    out.push_back(escaped);
  }
  TESSERA_TRY_STATUS(expect("\""));
  return out;
}

base::Result<char> TextReader::escape() {
  const char c = cursor_.peek();
  if (c == '"' || c == '\\' || c == 'n') {
    cursor_.advance();
    return c == 'n' ? '\n' : c;
  }
  if (c != 'x') return wrong("an unknown escape");
  cursor_.advance();
  int value = 0;
  for (int i = 0; i < 2; ++i) {
    const auto digit = hex_digit(cursor_.peek());
    if (!digit) return wrong("an escape is cut short");
    value = value * 16 + *digit;
    cursor_.advance();
  }
  return static_cast<char>(value);
}

base::Result<std::vector<std::byte>> TextReader::hex(std::int64_t count) {
  std::vector<std::byte> bytes;
  if (accept("-")) return bytes;
  skip();
  const std::string_view digits = cursor_.bytes_while([](char c) { return hex_digit(c).has_value(); });
  if (static_cast<std::int64_t>(digits.size() / 2) != count || digits.size() % 2 != 0) {
    return wrong("a literal has the wrong number of bytes");
  }
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(*hex_digit(digits[i]) * 16 + *hex_digit(digits[i + 1])));
  }
  return bytes;
}

// ---- Types and literals ----

base::Result<std::string_view> TextReader::type_text() {
  skip();
  const std::size_t begin = cursor_.offset();
  cursor_.name();
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'{', '}'}}) {
    if (cursor_.peek() != open) continue;
    const char end = close;
    cursor_.bytes_while([&](char c) { return c != end && c != '\n'; });
    if (!cursor_.accept(close)) return wrong("a type is cut short");
  }
  return text_.substr(begin, cursor_.offset() - begin);
}

base::Result<ArrayType> TextReader::type_on(const MeshRef& mesh) {
  TESSERA_TRY(text, type_text());
  return parse_array_type(text, mesh);
}

base::Result<Literal> TextReader::literal() {
  TESSERA_TRY(type, type_on(Mesh::single_device()));
  if (!type.layout().is_replicated()) return wrong("a literal has a layout");
  TESSERA_TRY(bytes, hex(array_bytes(type)));
  if (static_cast<std::int64_t>(bytes.size()) != array_bytes(type)) {
    return wrong("a literal has the wrong number of bytes");
  }
  return Literal{type.element(), type.shape(), std::move(bytes)};
}

}  // namespace tessera::synth
