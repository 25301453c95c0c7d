// How a person calls an operation: `@` is a product, a comparison has its operator.
#pragma once

#include <string>

#include "typeck/open/open.hpp"

namespace tessera::typeck {

std::string spelling(const synth::Operation& operation);
std::string spelling(const open::Operation& operation);

}  // namespace tessera::typeck
