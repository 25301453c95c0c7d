// Text as a terminal shows it: one cell for each code point, with the columns it takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::repl {

// A code point as it is to be written (a tab as blanks, what would disturb the terminal as U+FFFD), and its columns.
struct Cell {
  std::string text;
  int columns = 1;
};

std::vector<Cell> cells(std::string_view text);
int columns(std::string_view text);

// The first line of a text, or as much of it as fits, with `...` for the rest.
std::string beginning(std::string_view text, int columns_max);

// The text without control characters that would disturb a terminal; line breaks and tabs stay.
std::string printable(std::string_view text);

// The text and blanks after it to so many columns; before it, to align it right.
std::string padded(std::string_view text, int to_columns);
std::string padded_left(std::string_view text, int to_columns);

// Lines that are too long broken at blanks. The rest of a line is indented as its text: behind the last gap of two
// blanks or more in the first half of the width, as in `  :plan EXPRESSION   the steps`. A text behind a gap in the
// second half stands below the text before it. A paragraph, lines that begin at the left edge, is filled anew if one of
// its lines is too long, so that no line of it is left with a word or two.
std::string wrapped_at_words(std::string_view text, int width);

}  // namespace tessera::repl
