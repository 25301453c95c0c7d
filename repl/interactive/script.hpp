// Inputs of a session as a script has them.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// The text of the program, whose first line had this number: what was shown is printed. Ends in a newline.
std::string as_script(std::string text, const Program& program, std::uint32_t first_line);

}  // namespace tessera::repl
