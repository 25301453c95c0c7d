// Decimal digits of floats, as NumPy chooses them: the fewest that read back as the same number of its own type.
#pragma once

#include <string>

#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// A finite number d.ddd * 10^exponent; no trailing zeros.
struct Decimal {
  bool negative = false;
  std::string digits;  // at least one
  int exponent = 0;
  int fraction_digits() const { return static_cast<int>(digits.size()) - 1; }
};

// The fewest digits; among those the nearest to x.
Decimal shortest(float x);
Decimal shortest(double x);
// The fewest digits that give the same number when they are read as an f32 and stored.
Decimal shortest_stored(synth::ElementType storage, float x);
// At least so many digits after the first: where the fewest are not enough, the number's exact digits, rounded to even.
Decimal with_digits(float x, int fraction_digits);
Decimal with_digits(double x, int fraction_digits);
Decimal with_digits_stored(synth::ElementType storage, float x, int fraction_digits);

// `-12.5`, split at the point: `-12` and `5`. The second is empty for whole numbers.
struct Positional {
  std::string whole;
  std::string fraction;
};
Positional positional(const Decimal& decimal);
// `e+05`, with at least two digits.
std::string exponent_text(int exponent, int digits_min = 2);

}  // namespace tessera::runtime
