#include "repl/session/input.hpp"

#include <algorithm>

#include "repl/session/commands.hpp"

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

std::vector<StatementText> statements_of(std::string_view text) {
  std::vector<StatementText> found;
  Input open;
  std::uint32_t first_line = 1;
  std::uint32_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = row.find_first_not_of(" \t\r");
    if (open.empty() && (begin == std::string_view::npos || row[begin] == '#')) continue;
    if (open.empty()) first_line = line;
    if (open.add(row, line) || text.empty()) found.push_back({open.take(), first_line});
  }
  return found;
}

std::vector<StatementText> pieces_of(std::string_view text) {
  const std::vector<StatementText> statements = statements_of(text);
  if (statements.size() < 2) return {{std::string(text), 1}};
  std::vector<StatementText> pieces;
  std::uint32_t line = 1;
  for (const StatementText& statement : statements) {
    const auto lines = std::count(statement.text.begin(), statement.text.end(), '\n');
    const std::uint32_t next = statement.line + static_cast<std::uint32_t>(lines);
    std::size_t end = 0;
    for (std::uint32_t i = line; i < next && end < text.size(); ++i)
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
    const bool is_last = &statement == &statements.back();
    pieces.push_back({std::string(text.substr(0, is_last ? text.size() : end)), line});
    text.remove_prefix(end);
    line = next;
  }
  return pieces;
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
