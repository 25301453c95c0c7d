// What is said where no rule of explain.cpp knows the mistake: what was expected, and what was found.
#pragma once

#include "base/diagnostic.hpp"
#include "frontend/place.hpp"

namespace tessera::frontend {

base::Diagnostic expected_and_found(const Place& place);

}  // namespace tessera::frontend
