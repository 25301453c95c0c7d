#include "repl/interactive/input.hpp"

namespace tessera::repl {

namespace {

int bracket(char c) {
  if (c == '(' || c == '[' || c == '{') return 1;
  return c == ')' || c == ']' || c == '}' ? -1 : 0;
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

}  // namespace tessera::repl
