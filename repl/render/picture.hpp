// Pictures of who holds what, as the library draws them with + - |, for a terminal that can do more.
#pragma once

#include <string>
#include <string_view>

#include "repl/render/diagnostic.hpp"

namespace tessera::repl {

// Every cell of the grids in the text in the colour of its first device, and with box characters where they are wanted.
// Other text stays as it is.
std::string paint_picture(std::string_view text, Colour colour, bool boxes);

// Pictures that are wider than the screen in parts of so many columns of tiles as it takes, one below the other.
std::string fold_pictures(std::string_view text, int width);
// The same, with the text around them broken at words (repl/render/text_cells.hpp).
std::string wrapped_around_pictures(std::string_view text, int width);

}  // namespace tessera::repl
