// Chosen layouts, for people.
#pragma once

#include <string>

#include "tessera/choice.hpp"

namespace tessera::repl {

// The types, what is moved and why, and what others would take.
std::string choice_text(const Choice& choice, const Machine& machine);
// Who reads a value and how, and a table of the layouts that it could have, with what they take.
std::string explained_text(const ExplainedValue& value, const std::string& function);

}  // namespace tessera::repl
