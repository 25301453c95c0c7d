// The parts of formulas, for both kinds of floats: additions, multiplications, divisions, selections and moves of bits,
// without branches or library calls. A compiler makes loops of vectors of them, and every width of vectors gives the
// same bits, since IEEE decides each step and nothing is contracted (-ffp-contract=off).
//
// Example: 3 log2(e) = 4.33, so 3 is 4 ln(2) and a rest of 0.2274: e^3 is a polynomial of the rest times 2^4. And 6 is
// 2^3 (1 - 0.25): its logarithm is 3 ln(2) and a polynomial of -0.25.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/elements/loops.hpp"

namespace tessera::runtime::formulas {

// How a float is laid out, and what has to be known of ln(2) and pi in it.
template <class T>
struct Format;
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr unsigned fraction_bits = 52;
  static constexpr Bits bias = 1023;
  static constexpr double rounder = 0x1.8p52;               // a sum with this has a whole number in its last bits
  static constexpr double whole_from = 0x1p52;              // numbers from here on are whole
  static constexpr double ln2_high = 0x1.62e42fee00000p-1;  // so short that its product with an exponent is exact
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double log2_e = 0x1.71547652b82fep+0;
  static constexpr double ln2 = 0x1.62e42fefa39efp-1;
  static constexpr double usual_exponent = 708.0;  // e^x is a normal number for |x| up to this
};
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr unsigned fraction_bits = 23;
  static constexpr Bits bias = 127;
  static constexpr float rounder = 0x1.8p23F;
  static constexpr float whole_from = 0x1p23F;
  static constexpr float ln2_high = 0x1.62e4p-1F;
  static constexpr float ln2_low = 0x1.7f7d1cp-20F;
  static constexpr float log2_e = 0x1.715476p+0F;
  static constexpr float ln2 = 0x1.62e430p-1F;
  static constexpr float usual_exponent = 87.0F;
};
template <class T>
using BitsOf = typename Format<T>::Bits;

template <class T>
TESSERA_INLINE BitsOf<T> bits_of(T x) {
  return std::bit_cast<BitsOf<T>>(x);
}
TESSERA_INLINE double float_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
TESSERA_INLINE float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

template <class T>
inline constexpr BitsOf<T> kSignBit = BitsOf<T>{1} << (8 * sizeof(T) - 1);

template <class T>
TESSERA_INLINE T magnitude(T x) {
  return float_of(bits_of(x) & ~kSignBit<T>);
}
template <class T>
TESSERA_INLINE T with_sign_of(T x, T sign) {
  return float_of((bits_of(x) & ~kSignBit<T>) | (bits_of(sign) & kSignBit<T>));
}
// NaN stays NaN.
template <class T>
TESSERA_INLINE T at_least(T low, T x) {
  return x < low ? low : x;
}
template <class T>
TESSERA_INLINE T at_most(T high, T x) {
  return x > high ? high : x;
}
template <class T>
TESSERA_INLINE T between(T low, T x, T high) {
  return at_most(high, at_least(low, x));
}

// c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t I = 0, class T, std::size_t N>
TESSERA_INLINE T polynomial(T x, const std::array<T, N>& c) {
  if constexpr (I + 1 == N)
    return c[I];
  else
    return c[I] + x * polynomial<I + 1>(x, c);
}

// x^n, for a power n of two.
template <std::size_t n, class T>
TESSERA_INLINE T raised(T x) {
  if constexpr (n == 1) {
    return x;
  } else {
    const T root = raised<n / 2>(x);
    return root * root;
  }
}
// As `polynomial`, but the terms meet in pairs, and pairs in pairs: steps that do not wait for each other.
template <std::size_t I = 0, std::size_t count = 0, class T, std::size_t N>
TESSERA_INLINE T paired_polynomial(T x, const std::array<T, N>& c) {
  constexpr std::size_t kCount = count == 0 ? N : count;
  if constexpr (kCount == 1) {
    return c[I];
  } else {
    constexpr std::size_t kLow = std::bit_ceil(kCount) / 2;
    return paired_polynomial<I, kLow>(x, c) + raised<kLow>(x) * paired_polynomial<I + kLow, kCount - kLow>(x, c);
  }
}

// The nearest whole number, as a float and (its last bits) as bits. Exact below a quarter of Format::whole_from.
template <class T>
struct Whole {
  T value;
  BitsOf<T> bits;
};
template <class T>
TESSERA_INLINE Whole<T> nearest_whole(T x) {
  const T sum = x + Format<T>::rounder;
  return {sum - Format<T>::rounder, bits_of(sum)};
}

// 2^n, for the bits of a whole number that is the exponent of a normal one.
template <class T>
TESSERA_INLINE T power_of_two(BitsOf<T> whole_bits) {
  return float_of((whole_bits << Format<T>::fraction_bits) + bits_of(T{1}));
}
// x 2^n. The power is applied in two halves: the result may be subnormal or infinite though each half is neither.
template <class T>
TESSERA_INLINE T times_power_of_two(T x, BitsOf<T> whole_bits) {
  constexpr unsigned kPlace = Format<T>::fraction_bits;
  const BitsOf<T> twice_biased = whole_bits - (bits_of(Format<T>::rounder) - 2 * Format<T>::bias);
  const BitsOf<T> half = twice_biased >> 1U;
  return x * float_of(half << kPlace) * float_of((twice_biased - half) << kPlace);
}

// The same in one step, where both are normal.
template <class T>
TESSERA_INLINE T times_usual_power_of_two(T x, BitsOf<T> whole_bits) {
  return float_of(bits_of(x) + (whole_bits << Format<T>::fraction_bits));
}

// x = n ln(2) + rest, |rest| <= ln(2)/2. Of n the bits: GCC makes no vectors of what copies a structure in a structure.
template <class T>
struct Exponent {
  BitsOf<T> n;
  T rest;
};
template <class T>
TESSERA_INLINE Exponent<T> exponent_of(T x) {
  const Whole<T> n = nearest_whole(x * Format<T>::log2_e);
  return {n.bits, (x - n.value * Format<T>::ln2_high) - n.value * Format<T>::ln2_low};
}

// x = 2^exponent (1 + fraction), sqrt(1/2) <= 1 + fraction < sqrt(2), for a finite x > 0.
template <class T>
struct Binary {
  T exponent;
  T fraction;
};
// For normal numbers only.
template <class T>
TESSERA_INLINE Binary<T> normal_binary_of(T x) {
  constexpr unsigned kPlace = Format<T>::fraction_bits;
  constexpr BitsOf<T> kAbove = Format<T>::bias + 1;
  constexpr T kRootOfHalf = static_cast<T>(0x1.6a09e667f3bcdp-1);
  constexpr T kWhole = Format<T>::whole_from;
  const BitsOf<T> above = bits_of(x) - bits_of(kRootOfHalf);  // the exponent, but for its sign, is in the high bits
  const BitsOf<T> exponent = (above + (kAbove << kPlace)) >> kPlace;
  return {float_of(exponent | bits_of(kWhole)) - (kWhole + static_cast<T>(kAbove)),
          float_of(bits_of(x) - ((exponent - kAbove) << kPlace)) - T{1}};
}
template <class T>
TESSERA_INLINE Binary<T> binary_of(T x) {
  constexpr T kRaise = T{2} * Format<T>::whole_from;  // makes subnormal numbers normal ones
  constexpr T kRaised = static_cast<T>(Format<T>::fraction_bits + 1);
  const bool is_subnormal = x < std::numeric_limits<T>::min();
  const Binary<T> normal = normal_binary_of(choose(is_subnormal, x * kRaise, x));
  return {normal.exponent - choose(is_subnormal, kRaised, T{0}), normal.fraction};
}

// With s = f / (2 + f): log(1 + f) = 2 artanh(s) = 2 s + s series, where the series is z c[0] + z^2 c[1] + ... for
// z = s^2.
template <class T, std::size_t N>
TESSERA_INLINE T log_of_parts(const Binary<T>& parts, const std::array<T, N>& c) {
  const T e = parts.exponent;
  const T f = parts.fraction;
  const T s = f / (T{2} + f);
  const T z = s * s;
  const T half = T{0.5} * f * f;
  return e * Format<T>::ln2_high - ((half - (s * (half + z * polynomial(z, c)) + e * Format<T>::ln2_low)) - f);
}
// A logarithm of any x, from what it is for a finite x > 0.
template <class T>
TESSERA_INLINE T log_everywhere(T x, T finite) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T positive = x < kInfinity ? finite : x;
  const T nonnegative = x > T{0} ? positive : -kInfinity;
  const T result = x < T{0} ? std::numeric_limits<T>::quiet_NaN() : nonnegative;
  return x == x ? result : x;
}
template <class T, std::size_t N>
TESSERA_INLINE T log_by(T x, const std::array<T, N>& c) {
  return log_everywhere(x, log_of_parts(binary_of(x), c));
}

// A remainder of an angle by pi/2, as a sum of two floats, and how many quarters were taken off (its last two bits).
template <class T>
struct Angle {
  T high;
  T low;
  BitsOf<T> quarters;
};

// The sine of the angle whose remainder it is, by the polynomials of z = high^2 in
//   sin(high) = high + high z (s[0] + s[1] z + ...)  and  cos(high) = 1 - z/2 + z^2 (c[0] + c[1] z + ...).
template <class T, std::size_t N, std::size_t M>
TESSERA_INLINE T sine_by(const Angle<T>& angle, const std::array<T, N>& s, const std::array<T, M>& c) {
  const T r = angle.high;
  const T z = r * r;
  const T sine = r + (angle.low + r * z * polynomial(z, s));
  const T half = T{0.5} * z;
  const T one = T{1} - half;
  const T cosine = one + (((T{1} - one) - half) + (z * z * polynomial(z, c) - r * angle.low));
  const T chosen = (angle.quarters & 1U) != 0 ? cosine : sine;
  return float_of(bits_of(chosen) ^ ((angle.quarters & 2U) << (8 * sizeof(T) - 2)));
}

}  // namespace tessera::runtime::formulas
