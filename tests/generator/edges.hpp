// Values at the edges of arithmetic: zeros, infinities, NaNs, and numbers whose products overflow.
#pragma once

#include "tests/generator/maker.hpp"

namespace tessera::generator {

// Sums over split dimensions, often left pending, and a few operations on them. The facts say that the value need not
// be finite; nothing else of a program is made of it.
ExpressionRef edge_values(Maker& maker);

}  // namespace tessera::generator
