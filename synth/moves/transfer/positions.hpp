// Private to synth: positions of a reduction's members along the reduced axes, digit by digit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/layout/layout.hpp"

namespace tessera::synth {

// A digit of a position.
struct Digit {
  std::int64_t stride = 1;
  std::int64_t size = 1;
  std::int64_t of(std::int64_t position) const { return position / stride % size; }
  friend bool operator==(const Digit&, const Digit&) = default;
};
using Digits = std::vector<Digit>;  // the first is most significant

std::int64_t place_of(const Digits& digits, std::int64_t position);

// The digits that parts of axes are among those reduced, which are canonical and in mesh order; nothing where one is
// none of them.
std::optional<Digits> digits_of(const AxisList& reduced, const AxisList& parts);

// Each digit as its prime factors, ascending, outermost first.
Digits prime_digits(const Digits& digits);

// Has no position a digit twice?
bool are_distinct(const Digits& a, const Digits& b);

// The positions that agree with this one in all but these digits, by their places along them.
std::vector<std::int32_t> others_along(const Digits& digits, std::int64_t position);

}  // namespace tessera::synth
