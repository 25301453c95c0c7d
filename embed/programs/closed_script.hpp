// A script with every `auto fn` replaced by its closed form.
#pragma once

#include <string>

#include "base/result.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::embed {

// Fails with `no-closed-form` where a function is called with several lists of types, or the language has no words for
// something in it. The text is the one that the program was checked from.
base::Result<std::string> closed_script(const typeck::Typed& typed, std::string text);

}  // namespace tessera::embed
