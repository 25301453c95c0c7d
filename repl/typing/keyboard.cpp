#include "repl/typing/keyboard.hpp"

#include <unistd.h>

#include <utility>

#include "repl/process/terminal.hpp"
#include "repl/typing/highlight.hpp"

namespace tessera::repl {

Keyboard::Keyboard(Console& console, int interrupt, LineEditor::Completer completer)
    : console_(console), lines_(input_.descriptor(), interrupt) {
  if (!is_addressable_terminal()) return;
  const LineEditor::Painter painter = takes_colour(STDOUT_FILENO) ? inks_of : LineEditor::Painter();
  editor_ = std::make_unique<LineEditor>(input_.descriptor(), interrupt, std::move(completer), painter);
}

LineReader::Outcome Keyboard::next(const Typing& typing, std::string& text) {
  if (editor_) {
    switch (editor_->next(typing, text)) {
      case LineEditor::Outcome::text: return LineReader::Outcome::line;
      case LineEditor::Outcome::interrupted: return LineReader::Outcome::interrupted;
      case LineEditor::Outcome::end: return LineReader::Outcome::end;
    }
  }
  console_.out(typing.prompt(0));
  if (given_back_.empty()) return lines_.next(text);
  text = std::exchange(given_back_, "");
  console_.out(text + "\n");
  return LineReader::Outcome::line;
}

void Keyboard::give_back(const std::string& text) {
  if (editor_) {
    editor_->give_back(text);
  } else {
    given_back_ = text;
  }
}

void Keyboard::remember(const std::string& text) {
  if (editor_) editor_->remember(text);
}

}  // namespace tessera::repl
