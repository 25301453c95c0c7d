#include "repl/session/script.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "repl/letters.hpp"
#include "tessera/analysis.hpp"

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

namespace fs = std::filesystem;

std::string moved_name(const std::string& name, const std::string& from_folder, const std::string& to_folder) {
  const std::vector<std::string> library = library_names();
  const bool stays = fs::path(name).is_absolute() || std::find(library.begin(), library.end(), name) != library.end();
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (stays || failed) return name;
  const fs::path to = (here / to_folder / "").lexically_normal();
  const fs::path moved = (here / from_folder / name).lexically_normal().lexically_relative(to);
  return moved.empty() ? name : moved.string();
}

// The end of a string that begins there, behind its quote.
std::size_t string_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// Where the string of a `use` begins, if a statement that begins there is one.
std::size_t used_string(std::string_view text, std::size_t begin) {
  constexpr std::string_view kUse = "use";
  if (text.substr(begin, kUse.size()) != kUse) return std::string_view::npos;
  const std::size_t at = text.find_first_not_of(" \t", begin + kUse.size());
  return at != std::string_view::npos && text[at] == '"' ? at : std::string_view::npos;
}

}  // namespace

std::string moved_script(std::string_view script, const std::string& from_folder, const std::string& to_folder) {
  std::string moved;
  bool begins = true;  // a statement
  for (std::size_t at = 0; at < script.size();) {
    std::size_t end = at + 1;
    const std::size_t used = begins ? used_string(script, at) : std::string_view::npos;
    if (used != std::string_view::npos) {
      end = string_end(script, used);
      const std::string name(script.substr(used + 1, end - used - 2));
      const bool is_plain = name.find('\\') == std::string::npos;
      moved += script.substr(at, used + 1 - at);
      moved += (is_plain ? moved_name(name, from_folder, to_folder) : name) + '"';
      begins = false;
      at = end;
      continue;
    }
    if (script[at] == '"') end = string_end(script, at);
    if (script[at] == '#') end = std::min(script.find('\n', at), script.size());
    const bool is_blank = script[at] == ' ' || script[at] == '\t' || script[at] == '#';
    begins = script[at] == '\n' || script[at] == ';' || (begins && is_blank);
    moved += script.substr(at, end - at);
    at = end;
  }
  return moved;
}

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
