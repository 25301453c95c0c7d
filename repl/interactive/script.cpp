#include "repl/interactive/script.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

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

}  // namespace

std::string as_script(std::string text, const Program& program, std::uint32_t first_line) {
  std::vector<std::size_t> offsets;
  for (const Place& shown : program.shown()) {
    offsets.push_back(offset_of(text, shown.line - first_line + 1, shown.column));
  }
  // From the end, so that what is inserted moves no place that is still to come.
  std::sort(offsets.rbegin(), offsets.rend());
  for (const std::size_t at : offsets) text.insert(at, "print ");
  return text.ends_with('\n') ? text : text + "\n";
}

}  // namespace tessera::repl
