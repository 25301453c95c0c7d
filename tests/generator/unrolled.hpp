// Loops that are unrolled when they are checked, `for const`.
#pragma once

#include "tests/generator/maker.hpp"

namespace tessera::generator {

// A loop that gives a value of the wanted type; null now and then.
ExpressionRef unrolled(Maker& maker, const Want& want, int depth);

// A loop as a statement, of a name in scope: its turns assert which extents they find. Empty where no name has one.
std::string unrolled_statement(Maker& maker);

}  // namespace tessera::generator
