// Diagnostics as text for people:
//
//     error[axis-used-twice]: mesh axis `x` splits two dimensions of one array
//       demo.tess:2:20
//        2 | fn g(a: f32[8@x, 8@x]) = a
//          |               -    ^ dimension 1 uses it again
//          |               |
//          |               dimension 0 uses it here
//       help: replicate one of them, or split it over `y`
#pragma once

#include <string>
#include <string_view>

#include "repl/render/paint.hpp"
#include "repl/render/text_cells.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

std::string_view name(Severity severity);

// Ends in a newline. A line of help that is part of the command line's contract (`least budget: N bytes`) stands on a
// line of its own. On a terminal of so many columns prose is broken at words and a program's line is cut around the
// fault; 0 columns: no terminal.
std::string render(const Diagnostic& diagnostic, Colour colour, int columns = 0);

// `error: MESSAGE`, for a mistake that has no diagnostic; lines of help are in the message, as `  help: ...`.
std::string render_complaint(std::string_view message, int columns = 0);

}  // namespace tessera::repl
