// Inputs of a session as a script has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// How a script writes an expression that a session has shown.
enum class Shown : std::uint8_t {
  printed,  // `print a + b`
  named,    // `let _ = a + b; print _`, for a later input that uses it
};

// The text of the program, whose first line had this number. Ends in a newline.
std::string as_script(std::string text, const Program& program, std::uint32_t first_line, Shown shown);
// The script for another folder: what it uses is named from there. A relative name stays relative: `use "layers.tess"`
// of a script in `models` is `use "../models/layers.tess"` in `saved`.
std::string moved_script(std::string_view script, const std::string& from_folder, const std::string& to_folder);
// Does the text use the last value, `_`?
bool uses_last_value(std::string_view text);

}  // namespace tessera::repl
