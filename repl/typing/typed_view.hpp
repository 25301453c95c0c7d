// How the text that is being typed looks on the terminal: prompts, colours, rows.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/render/paint.hpp"

namespace tessera::repl {

// One ink for each byte of a text.
using Inks = std::vector<Ink>;

// A text to be drawn, with its cursor.
struct Typed {
  std::string_view text;
  std::size_t cursor = 0;                               // a byte of the text, or its end
  std::function<std::string(std::size_t line)> prompt;  // of each line, counted from 0
  Inks inks = {};                                       // none: the text is plain
  Colour colour = Colour::no;                           // of the prompts, too
};

// A row of the terminal.
struct ScreenRow {
  std::string painted = {};
  int columns = 0;
  bool goes_on = false;  // its line goes on in the next row
};

// The rows of the screen that a text takes. For `let a = (1 +`, `2)` on 8 columns:
//
//     1> let a        goes on
//      = (1 +
//     2. 2)           the cursor at row 2, column 5
struct ScreenRows {
  std::vector<ScreenRow> rows;
  std::size_t cursor_row = 0;
  int cursor_column = 0;
};
ScreenRows rows_of(const Typed& typed, int width);

// The rows on a terminal, drawn anew where they stand whenever something changes. If the text is higher than the
// terminal, only the rows around the cursor are drawn.
class TypedView {
 public:
  using Write = std::function<void(const std::string& bytes)>;

  explicit TypedView(Write write) : write_(std::move(write)) {}

  // Nothing is drawn yet: the next draw() begins at the cursor's row.
  void begin() { drawn_rows_above_ = 0; }
  void draw(const Typed& typed, int width, int height);
  // Draws it a last time, and goes to the row below.
  void leave(Typed typed, int width, int height);
  // The terminal has wrapped what is drawn to another width by itself.
  void wrapped(const Typed& typed, int width);
  void clear_screen();

 private:
  Write write_;
  std::size_t drawn_rows_above_ = 0;  // of the cursor
};

}  // namespace tessera::repl
