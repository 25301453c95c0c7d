// The remainder of two floats as std::fmod gives it, by whole numbers: exact on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/elements/formula_parts.hpp"

namespace tessera::runtime {

// A float's size as `whole` units, a unit being what the last bit is worth at this exponent. It is 1 or more: subnormal
// numbers have that of the least normal ones.
struct WholeUnits {
  std::uint64_t whole;
  int exponent;
};
template <Float T>
constexpr WholeUnits whole_units(formulas::BitsOf<T> size) {
  constexpr unsigned kPlace = formulas::Format<T>::fraction_bits;
  constexpr std::uint64_t kHidden = std::uint64_t{1} << kPlace;
  const auto exponent = static_cast<int>(size >> kPlace);
  const std::uint64_t fraction = size & (kHidden - 1);
  return exponent == 0 ? WholeUnits{fraction, 1} : WholeUnits{fraction | kHidden, exponent};
}

// (whole 2^shift) modulo `divisor`, which is of `digits` bits as `whole` is.
template <int digits>
constexpr std::uint64_t shifted_remainder(std::uint64_t whole, int shift, std::uint64_t divisor) {
  constexpr int kRoom = 64 - digits;
  std::uint64_t rest = whole % divisor;
  while (shift > 0 && rest != 0) {
    const int now = std::min(shift, kRoom);
    rest = (rest << static_cast<unsigned>(now)) % divisor;
    shift -= now;
  }
  return rest;
}

// It has the sign of a.
template <Float T>
T exact_remainder(T a, T b) {
  using Bits = formulas::BitsOf<T>;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr Bits kInfinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  const Bits of_a = formulas::bits_of(formulas::magnitude(a));
  const Bits of_b = formulas::bits_of(formulas::magnitude(b));
  if (of_b == 0 || of_a >= kInfinity || of_b > kInfinity) return std::numeric_limits<T>::quiet_NaN();
  if (of_a < of_b) return a;
  const WholeUnits dividend = whole_units<T>(of_a);
  const WholeUnits divisor = whole_units<T>(of_b);
  const std::uint64_t rest =
      shifted_remainder<kDigits>(dividend.whole, dividend.exponent - divisor.exponent, divisor.whole);
  const int room = rest == 0 ? 0 : std::countl_zero(rest) - (64 - kDigits);
  const int raised = std::min(room, divisor.exponent - 1);
  // The hidden bit, if there is one, counts the exponent up by one.
  const auto exponent = static_cast<Bits>(rest == 0 ? 0 : divisor.exponent - 1 - raised);
  const auto size = static_cast<Bits>((exponent << static_cast<unsigned>(kDigits - 1)) +
                                      static_cast<Bits>(rest << static_cast<unsigned>(raised)));
  return formulas::with_sign_of(formulas::float_of(size), a);
}

}  // namespace tessera::runtime
