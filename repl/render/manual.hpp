// Help and sections of the error index as a manual page shows them: the Markdown of docs/ without its marks.
#pragma once

#include <string>
#include <string_view>

#include "repl/render/diagnostic.hpp"

namespace tessera::repl {

// The text as a reader wants it, prose filled to `width` columns. Headings lose their `#`; the programs between fences
// are indented by four columns and never broken, and one that follows the program with an error is said to be the
// repaired one. In colour headings and code are bold; otherwise code stays between backticks, as in messages.
//
//     ## after-as                           after-as
//                                           <blank line>
//     `as` ends its expression.             `as` ends its expression.
//                                      ->   <blank line>
//     ```tessera error[after-as]                print a as [4] + a
//     print a as [4] + a
//     ```
std::string manual_text(std::string_view markdown, int width, Colour colour);

}  // namespace tessera::repl
