#include "repl/process/output_picture.hpp"

#include <unistd.h>

#include "repl/process/terminal.hpp"
#include "repl/render/fitted.hpp"
#include "repl/render/picture.hpp"

namespace tessera::repl {

std::string picture_for_output(std::string_view text) {
  const Colour colour = takes_colour(STDOUT_FILENO) ? Colour::yes : Colour::no;
  if (!is_terminal(STDOUT_FILENO)) return paint_picture(text, colour, false);
  return paint_picture(fold_pictures(with_fitted_plans(text, terminal_columns()), terminal_columns()), colour,
                       takes_box_characters(STDOUT_FILENO));
}

std::string page_for_output(std::string_view text) {
  return picture_for_output(wrapped_around_pictures(text, terminal_columns()));
}

std::string answer_for_output(std::string_view text) {
  return is_terminal(STDOUT_FILENO) ? fitted(text, terminal_columns()) : std::string(text);
}

}  // namespace tessera::repl
