// The screen: it receives the answers of a session, and knows what can be shown there.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "repl/render/diagnostic.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

struct Screen {
  std::function<void(std::string_view)> out;  // answers
  std::function<void(std::string_view)> err;  // what is wrong
  // Asks for one line before going on; returns false to stop. Empty: nobody is asked.
  std::function<bool(std::string_view question)> ask = {};
  // Takes the reader through the course, from the lesson of that number on; from where they were if it is empty. None:
  // nobody is there to be taught.
  std::function<void(const std::string& lesson)> open_lesson = {};
  std::function<int()> columns = [] { return 80; };
  Colour out_colour = Colour::no;
  Colour err_colour = Colour::no;
  bool boxes = false;     // pictures may be drawn with box characters
  bool detailed = false;  // somebody looks: names come with what they take and cost
  bool fits = false;      // answers follow the terminal's columns
  bool progress = false;  // `err` may be a line that says how far a statement is, and be taken back

  void report(const Diagnostics& diagnostics) const {
    for (const Diagnostic& diagnostic : diagnostics) err(render(diagnostic, err_colour, columns_to_fit()));
  }
  // `error: MESSAGE`, for what has no diagnostic.
  void complain(std::string_view message) const { err(render_complaint(message, columns_to_fit())); }
  // The columns that text has to keep to; 0: no terminal.
  int columns_to_fit() const { return fits ? columns() : 0; }
};

}  // namespace tessera::repl
