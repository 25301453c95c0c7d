// Colours of the language, as they are typed.
#pragma once

#include <string_view>

#include "repl/typing/typed_view.hpp"

namespace tessera::repl {

// Keywords, axes (behind `@`, in `{+x}`), strings, comments, and the name of a command. It looks at words only, so
// that what is not complete yet has colours, too.
Inks inks_of(std::string_view text);

}  // namespace tessera::repl
