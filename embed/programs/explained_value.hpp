// What a choice says of one name.
#pragma once

#include <string>

#include "base/diagnostic.hpp"

namespace tessera::typeck {
struct Typed;
}

namespace tessera::embed {

// No function of that name had its layouts chosen (of any name, if there is none): says which there are.
base::Diagnostic nothing_chosen(const typeck::Typed& typed, const std::string& wanted);

}  // namespace tessera::embed
