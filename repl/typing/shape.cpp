#include "repl/typing/shape.hpp"

#include <algorithm>

namespace tessera::repl {

namespace {

constexpr std::size_t kStep = 2;
constexpr std::string_view kDigits = "0123456789";

// Takes Python's prompt off the line: `>>> ` or `... `; false: it has none.
bool take_prompt_of_python(std::string_view& line, char sign) {
  constexpr std::size_t kSigns = 3;
  if (line.substr(0, kSigns) != std::string(kSigns, sign)) return false;
  const std::string_view rest = line.substr(kSigns);
  if (!rest.empty() && rest.front() != ' ') return false;
  line = rest.substr(rest.empty() ? 0 : 1);
  return true;
}

// Takes a prompt that ends in `sign` off the line; false: it has none.
bool take_prompt(std::string_view& line, char sign) {
  if (take_prompt_of_python(line, sign)) return true;
  const std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t behind_number = std::min(line.find_first_not_of(kDigits, at), line.size());
  if (behind_number == line.size() || line[behind_number] != sign) return false;
  const std::string_view rest = line.substr(behind_number + 1);
  if (!rest.empty() && rest.front() != ' ') return false;
  line = rest.substr(rest.empty() ? 0 : 1);
  return true;
}

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

// Calls for each line.
template <class Each>
void for_lines(std::string_view text, Each&& each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool begins_with_prompt(std::string_view text) {
  bool found = false;
  bool looked = false;
  for_lines(text, [&](std::string_view line) {
    if (looked || is_blank_line(line)) return;
    looked = true;
    found = take_prompt(line, '>');
  });
  return found;
}

std::size_t last_line_begin(std::string_view text) { return text.rfind('\n') + 1; }

}  // namespace

std::string without_prompts(std::string_view pasted, bool lines_wanted) {
  std::string result;
  if (begins_with_prompt(pasted)) {
    bool in_input = false;
    for_lines(pasted, [&](std::string_view line) {
      in_input = take_prompt(line, '>') || (in_input && take_prompt(line, '.'));
      if (in_input) result += std::string(line) + "\n";
    });
  } else {
    result = pasted;
  }
  while (result.ends_with('\n')) result.pop_back();
  if (!lines_wanted) std::replace(result.begin(), result.end(), '\n', ' ');
  return result;
}

std::string indentation_after(std::string_view text) {
  const std::string_view line = text.substr(last_line_begin(text));
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t last = line.find_last_not_of(' ');
  const bool opens = last != std::string_view::npos && (line[last] == '{' || line[last] == '(' || line[last] == '[');
  return std::string(blanks + (opens ? kStep : 0), ' ');
}

std::size_t blanks_before_closing(std::string_view before_cursor, std::string_view typed) {
  const bool closes = typed == "}" || typed == ")" || typed == "]";
  const std::size_t begin = last_line_begin(before_cursor);
  if (!closes || begin == 0 || !is_blank_line(before_cursor.substr(begin))) return 0;
  return std::min(kStep, before_cursor.size() - begin);
}

}  // namespace tessera::repl
