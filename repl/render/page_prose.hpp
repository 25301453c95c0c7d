// A page of the manual for a terminal: what manual_text does not know of Markdown is said in what it knows.
#pragma once

#include <string>
#include <string_view>

namespace tessera::repl {

// Tables become entries, since a row is wider than a screen; items of lists stand on a line each, to be filled again;
// of links the words stay. Programs between fences are left as they are.
//
//     | form | means | example |            `a as T`
//     |---|---|---|                     ->      means: a in the layout of T
//     | `a as T` | a in the layout of T | - |   example: -
//
// A table of two columns has the second below the first, without its heading.
std::string page_prose(std::string_view markdown);

}  // namespace tessera::repl
