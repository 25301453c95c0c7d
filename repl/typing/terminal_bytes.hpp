// The terminal while somebody types: keys arrive one by one and are not echoed.
#pragma once

#include <termios.h>

#include <csignal>
#include <functional>
#include <string>

namespace tessera::repl {

// While an object lives, standard input gives every key at once, and pasted text between marks. Ctrl-C and Ctrl-Z are
// signals as ever.
class TypingMode {
 public:
  TypingMode();
  TypingMode(const TypingMode&) = delete;
  TypingMode& operator=(const TypingMode&) = delete;
  ~TypingMode();

  // Takes the modes back if somebody else had the terminal.
  void resume() const;

 private:
  struct termios before_ = {};
  bool is_terminal_ = false;
};

// Bytes of a terminal. Bytes that were read ahead are kept for the next text.
class TerminalBytes {
 public:
  // Reading `input` should not wait. Waiting ends when `interrupt` becomes readable; `changed` is called when the
  // terminal has another size or is ours again.
  TerminalBytes(int input, int interrupt, std::function<void()> changed)
      : input_(input), interrupt_(interrupt), changed_(std::move(changed)) {}

  // As NextByte (repl/typing/keys.hpp).
  int next(int milliseconds);
  // Is there a byte that next() would return at once?
  bool has_more();

 private:
  enum class Event { input, interrupt, nothing };
  Event wait(int milliseconds);
  // Reads what is there, perhaps nothing; false: nothing will come any more.
  bool fill();

  int input_;
  int interrupt_;
  std::function<void()> changed_;
  std::string read_;
  std::size_t taken_ = 0;
};

// Writes all of it to standard output.
void write_to_terminal(const std::string& bytes);
int terminal_rows();

}  // namespace tessera::repl
