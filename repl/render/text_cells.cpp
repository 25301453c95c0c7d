#include "repl/render/text_cells.hpp"

#include <utf8proc.h>

#include <algorithm>

namespace tessera::repl {

namespace {

constexpr int kTabColumns = 4;
constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";  // U+FFFD

// Does the code point move the cursor, begin an escape sequence or turn the direction of writing?
bool disturbs(utf8proc_int32_t code_point) {
  if (code_point < 0) return true;
  const utf8proc_category_t category = utf8proc_category(code_point);
  const bool directs = (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
         directs;
}

struct CodePoint {
  utf8proc_int32_t value = -1;  // negative: not valid UTF-8
  std::string_view bytes;
};

// Takes the first code point off the text, which is not empty.
CodePoint take(std::string_view& text) {
  CodePoint result;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &result.value);
  if (length <= 0) result.value = -1;
  result.bytes = text.substr(0, static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 1)));
  text.remove_prefix(result.bytes.size());
  return result;
}

}  // namespace

std::vector<Cell> cells(std::string_view text) {
  std::vector<Cell> result;
  while (!text.empty()) {
    const CodePoint code_point = take(text);
    if (code_point.value == '\t') {
      result.push_back(Cell{std::string(kTabColumns, ' '), kTabColumns});
    } else if (disturbs(code_point.value)) {
      result.push_back(Cell{std::string(kReplacementText), 1});
    } else {
      result.push_back(Cell{std::string(code_point.bytes), utf8proc_charwidth(code_point.value)});
    }
  }
  return result;
}

int columns(std::string_view text) {
  int sum = 0;
  for (const Cell& cell : cells(text)) sum += cell.columns;
  return sum;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint code_point = take(text);
    const bool harmless = code_point.value == '\n' || code_point.value == '\t' || !disturbs(code_point.value);
    result += harmless ? code_point.bytes : kReplacementText;
  }
  return result;
}

std::string padded(std::string_view text, int to_columns) {
  const int missing = std::max(0, to_columns - columns(text));
  return std::string(text) + std::string(static_cast<std::size_t>(missing), ' ');
}

std::string padded_left(std::string_view text, int to_columns) {
  const int missing = std::max(0, to_columns - columns(text));
  return std::string(static_cast<std::size_t>(missing), ' ') + std::string(text);
}

}  // namespace tessera::repl
