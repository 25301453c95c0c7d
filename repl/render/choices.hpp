// Chosen layouts, for people and as JSON.
#pragma once

#include <string>

#include "tessera/choice.hpp"

namespace tessera::repl {

// The types, what is moved and why, and what others would take.
std::string choice_text(const Choice& choice, const Machine& machine);
// A table: the layouts that a name could have, and what they take.
std::string prices_text(const std::vector<LayoutPrice>& prices);
// One line: docs/automatic.md says what the keys are.
std::string choice_json(const Choice& choice);

}  // namespace tessera::repl
