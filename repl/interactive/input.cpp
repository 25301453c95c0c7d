#include "repl/interactive/input.hpp"

#include <algorithm>

#include "repl/interactive/commands.hpp"

namespace tessera::repl {

namespace {

int bracket(char c) {
  if (c == '(' || c == '[' || c == '{') return 1;
  return c == ')' || c == ']' || c == '}' ? -1 : 0;
}

bool is_whole(std::string_view input) {
  const bool is_command = input.starts_with(':');
  const std::string_view statements =
      is_command ? input.substr(std::min(expression_begin(input), input.size())) : input;
  return !is_incomplete(statements);
}

}  // namespace

bool Input::add(std::string_view line, std::uint32_t number, std::size_t command_bytes) {
  if (empty()) {
    first_line_ = number;
    command_bytes_ = command_bytes;
  }
  text_ += line;
  text_ += '\n';
  for (const char c : line) open_brackets_ += bracket(c);
  const bool due = text_.size() >= next_question_;
  if (!due && (open_brackets_ > 0 || early_questions_ == kEarlyQuestionsMax)) return false;
  if (!due) ++early_questions_;
  if (!is_incomplete(std::string_view(text_).substr(command_bytes_))) return true;
  if (text_.size() > kAlwaysAskBytes) next_question_ = text_.size() + text_.size() / 8;
  return false;
}

std::vector<std::string> inputs_of(std::string_view text) {
  std::vector<std::string> inputs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // Only beside a command does it matter whether an input has ended.
    const bool is_command = line.starts_with(':');
    const bool follows_command = !inputs.empty() && inputs.back().starts_with(':');
    const bool begins = inputs.empty() || ((is_command || follows_command) && is_whole(inputs.back()));
    if (begins) inputs.emplace_back(line);
    if (!begins) inputs.back() += "\n" + std::string(line);
  }
  return inputs;
}

bool is_complete(std::string_view text) {
  const std::vector<std::string> inputs = inputs_of(text);
  return inputs.empty() || is_whole(inputs.back());
}

}  // namespace tessera::repl
