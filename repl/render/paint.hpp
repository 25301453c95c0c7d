// Colours of diagnostics, as a terminal wants them.
#pragma once

#include <string>
#include <string_view>

#include "repl/render/diagnostic.hpp"

namespace tessera::repl {

enum class Ink : std::uint8_t { plain, bold, error, warning, note, secondary, gutter, help };

// The text in a colour; as it is without colours or without text.
std::string painted(std::string_view text, Ink ink, Colour colour);
Ink ink_of(Severity severity);

}  // namespace tessera::repl
