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

// The columns before a line's text, as wrapped_at_words has it.
std::size_t text_begin(std::string_view line, std::size_t width) {
  std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  for (std::size_t at = begin; at < line.size(); ++at) {
    const bool ends_gap = at >= 2 && line[at] != ' ' && line[at - 1] == ' ' && line[at - 2] == ' ';
    if (ends_gap && at <= width / 2) begin = at;
  }
  return begin <= width / 2 ? begin : 0;
}

// The beginning of the right one of two columns, if it is in the right half of the screen and would have no room there;
// it then stands below the left one. Without two columns, or with more room, the line's end.
std::size_t far_column(std::string_view line, std::size_t width) {
  const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", text);
  const std::size_t begin = std::min(line.find_first_not_of(' ', std::min(gap, line.size())), line.size());
  return begin > width / 2 ? begin : line.size();
}

// Prose: a line that begins at the left edge, has no columns and is no item of a list.
bool is_prose(std::string_view line) {
  return !line.empty() && line.front() != ' ' && !line.starts_with("- ") && line.find("  ") == std::string_view::npos;
}

// The lines of prose that the text begins with, as one line; its first line if none of them is too long.
std::string paragraph(std::string_view text, int width, std::size_t& bytes) {
  bytes = std::min(text.find('\n'), text.size());
  std::string first(text.substr(0, bytes));
  std::string joined = first;
  bool is_long = columns(first) > width;
  std::size_t end = bytes;
  for (std::string_view line = first; is_prose(line) && end < text.size();) {
    const std::size_t begin = end + 1;
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    line = text.substr(begin, line_end - begin);
    if (!is_prose(line)) break;
    joined += " " + std::string(line);
    is_long = is_long || columns(line) > width;
    end = line_end;
  }
  if (!is_long || !is_prose(first)) return first;
  bytes = end;
  return joined;
}

std::string wrapped_line(std::string_view line, int width) {
  if (const std::size_t far = far_column(line, static_cast<std::size_t>(width)); far < line.size()) {
    const std::size_t indentation = line.find_first_not_of(' ') + 2;
    const std::string right = std::string(indentation, ' ') + std::string(line.substr(far));
    const std::string_view left = line.substr(0, line.find_last_not_of(' ', far - 1) + 1);
    return wrapped_line(left, width) + "\n" + wrapped_line(right, width);
  }
  const std::string indentation(text_begin(line, static_cast<std::size_t>(width)), ' ');
  std::string text;
  int used = 0;
  while (!line.empty()) {
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', blanks), line.size());
    const std::string_view word = line.substr(blanks, end - blanks);
    const bool begins = text.empty() || used == static_cast<int>(indentation.size());
    if (!begins && used + static_cast<int>(blanks) + columns(word) > width) {
      text += "\n" + indentation;
      used = static_cast<int>(indentation.size());
    } else {
      text += std::string(blanks, ' ');
      used += static_cast<int>(blanks);
    }
    text += word;
    used += columns(word);
    line.remove_prefix(end);
  }
  return text;
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

std::string beginning(std::string_view text, int columns_max) {
  text = text.substr(0, text.find('\n'));
  if (columns(text) <= columns_max) return std::string(text);
  std::string result;
  int width = 0;
  for (const Cell& cell : cells(text)) {
    width += cell.columns;
    if (width > columns_max - 3) break;
    result += cell.text;
  }
  return result + "...";
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

std::string wrapped_at_words(std::string_view text, int width) {
  std::string result;
  while (!text.empty()) {
    std::size_t end = 0;
    const std::string line = paragraph(text, width, end);
    result += columns(line) <= width ? line : wrapped_line(line, width);
    if (end < text.size()) result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace tessera::repl
