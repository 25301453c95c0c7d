// Pictures of who holds what, as the library draws them with + - |, for a terminal that can do more.
#pragma once

#include <string>
#include <string_view>

#include "repl/render/diagnostic.hpp"

namespace tessera::repl {

// Every cell of the grids in the text in the colour of its first device, and with box characters where they are wanted.
// What is no grid stays as it is.
std::string paint_picture(std::string_view text, Colour colour, bool boxes);

}  // namespace tessera::repl
