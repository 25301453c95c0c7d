// The message for mistakes that no rule of explain.cpp knows: what was expected, and what was found.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "frontend/place.hpp"

namespace tessera::frontend {

// The token that is none of them, as messages call it.
std::string found_words(const Place& p);
base::Diagnostic expected_and_found(const Place& place);

}  // namespace tessera::frontend
