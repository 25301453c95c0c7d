// An input as it is read, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// Asking after every line whether the statement is complete would take too long once it is long: then it is asked where
// the brackets, counted without regard to strings and comments, say so, and from time to time.
class Input {
 public:
  bool empty() const { return text_.empty(); }
  std::size_t size() const { return text_.size(); }
  std::uint32_t first_line() const { return first_line_; }
  std::string take() { return std::exchange(*this, Input{}).text_; }

  // Adds a line, or several; returns whether the input is complete now. The first `command_bytes` bytes, a command, are
  // not looked at.
  bool add(std::string_view line, std::uint32_t number, std::size_t command_bytes = 0);

 private:
  static constexpr std::size_t kAlwaysAskBytes = 2048;
  static constexpr int kEarlyQuestionsMax = 100;

  std::string text_;
  std::size_t command_bytes_ = 0;
  std::uint32_t first_line_ = 1;
  std::size_t next_question_ = 0;  // due at so many bytes
  std::int64_t open_brackets_ = 0;
  int early_questions_ = 0;
};

// An input as it was typed, from the line with that number on.
struct TypedInput {
  std::string text;
  std::uint32_t first_line = 1;
};

// The statements of a text, each with the number of its first line. Lines without one are left out.
struct StatementText {
  std::string text;
  std::uint32_t line = 1;
};
std::vector<StatementText> statements_of(std::string_view text);
// The same with all lines of the text, at least one piece: comments and empty lines go with the statement below them.
std::vector<StatementText> pieces_of(std::string_view text);

// The inputs in a text that somebody has typed as one: a command that begins a line is one, and so are all statements
// up to the next command, which run together or not at all.
std::vector<std::string> inputs_of(std::string_view text);
// Is the last of them complete?
bool is_complete(std::string_view text);

}  // namespace tessera::repl
