// One line of a text with its labels drawn below.
#pragma once

#include <string>
#include <vector>

#include "repl/render/paint.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// A label in the columns of the line as it is shown, from 0; `end` is past the last one.
struct Mark {
  int begin = 0;
  int end = 1;
  bool primary = false;
  std::string text;  // one line, may be empty
};

// A line as it is shown: whole, or cut around its labels, with `...` where something is left out.
struct ShownLine {
  std::string text;
  std::vector<Mark> marks;
};

// More columns of a line are not shown.
inline constexpr int kLineColumnsMax = 100;

// `labels` are all of one line; the first one decides where a line that is too long is cut. A terminal leaves so many
// columns for it, with the dots where it is cut; 0: no terminal.
ShownLine show_line(const std::vector<const Label*>& labels, int columns_left = 0);

// The rows below a line: marks, then texts, none of which is overlaid by another. Texts are kept within the columns
// that a terminal leaves, and broken at words where they are longer.
std::vector<std::string> draw_marks(const std::vector<Mark>& marks, Ink primary, Colour colour, int columns_left = 0);

}  // namespace tessera::repl
