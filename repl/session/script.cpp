#include "repl/session/script.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "repl/letters.hpp"

namespace tessera::repl {

namespace {

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The byte at which a line's code point begins; columns count from 1.
std::size_t offset_of(std::string_view text, std::uint32_t line, std::uint32_t column) {
  std::size_t at = 0;
  for (; line > 1; --line) at = text.find('\n', at) + 1;
  while (at < text.size() && (column > 1 || continues_code_point(text[at]))) {
    if (!continues_code_point(text[at])) --column;
    ++at;
  }
  return at;
}

// Finds the end of the statement that begins there: before a `;`, a comment or the end of its last line.
std::size_t statement_end(std::string_view text, std::size_t begin) {
  int open = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      continue;
    }
    open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    const bool may_end = c == ';' || c == '#' || c == '\n';
    if (may_end && open <= 0 && !is_incomplete(text.substr(begin, at - begin))) {
      return text.find_last_not_of(" \t", at - 1) + 1;
    }
    if (c == '#') at = std::min(text.find('\n', at), text.size()) - 1;
  }
  return text.find_last_not_of(" \t\n") + 1;
}

}  // namespace

std::string as_script(std::string text, const Program& program, std::uint32_t first_line, Shown shown) {
  std::vector<std::size_t> offsets;
  for (const Place& place : program.shown()) {
    offsets.push_back(offset_of(text, place.line - first_line + 1, place.column));
  }
  // From the end, so that what is inserted moves no place that is still to come.
  std::sort(offsets.rbegin(), offsets.rend());
  for (const std::size_t at : offsets) {
    if (shown == Shown::named) text.insert(statement_end(text, at), "; print _");
    text.insert(at, shown == Shown::named ? "let _ = " : "print ");
  }
  return text.ends_with('\n') ? text : text + "\n";
}

bool uses_last_value(std::string_view text) {
  for (std::size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    const bool begins = at == 0 || !is_in_word(text[at - 1]);
    const bool ends = at + 1 == text.size() || !is_in_word(text[at + 1]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace tessera::repl
