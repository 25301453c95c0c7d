// Somebody at a terminal who types texts; where the terminal cannot be edited on, lines as they come.
#pragma once

#include <memory>
#include <string>

#include "repl/process/console.hpp"
#include "repl/process/files.hpp"
#include "repl/process/terminal.hpp"
#include "repl/typing/line_editor.hpp"

namespace tessera::repl {

class Keyboard {
 public:
  // `interrupt` is what Ctrl-C makes readable.
  Keyboard(Console& console, int interrupt, LineEditor::Completer completer);

  // The next text, without a line break at its end. Where the terminal cannot be edited on it has one line, with the
  // prompt of line 0.
  LineReader::Outcome next(const Typing& typing, std::string& text);
  void remember(const std::string& text);
  // An answer to a question that was none: the next text begins with it, and ends there if it is complete.
  void give_back(const std::string& text);
  // Forgets what was typed of a line.
  void drop() { lines_.drop(); }
  // Why next() failed.
  std::string why() const { return lines_.why(); }

 private:
  Console& console_;
  TerminalInput input_;
  LineReader lines_;
  std::unique_ptr<LineEditor> editor_;
  std::string given_back_;  // where nothing can be edited
};

}  // namespace tessera::repl
