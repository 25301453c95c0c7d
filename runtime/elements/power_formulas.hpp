// a ** b as a formula: 2^(b log2(a)). The logarithm has enough digits that all digits of the result are right, however
// large the product is. The special cases of IEEE (zeros, infinities, negative bases) are selected at the end.
#pragma once

#include <array>
#include <limits>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/elements/formula_parts.hpp"
#include "runtime/elements/formulas.hpp"

namespace tessera::runtime::formulas {

// As `between`, but by masks: a compiler would turn a comparison that it can follow into the next sum into a branch.
TESSERA_INLINE double within(double low, double x, double high) {
  return choose(x < low, low, choose(x > high, high, x));
}

// A sum of two f64 of which the second is less than a unit in the last place of the first, or about that.
struct Pair {
  double high;
  double low;
};

// Exact, where |a| >= |b| or a is 0.
TESSERA_INLINE Pair pair_of_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// Exact, below 2^996: each factor is cut into two halves whose products fit.
TESSERA_INLINE Pair pair_of_product(double a, double b) {
  constexpr double kSplitter = 0x1.0000002p27;
  const double a_scaled = kSplitter * a;
  const double b_scaled = kSplitter * b;
  const double a_high = a_scaled - (a_scaled - a);
  const double b_high = b_scaled - (b_scaled - b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// With a relative error of some 2^-104.
TESSERA_INLINE Pair times(const Pair& a, const Pair& b) {
  const Pair product = pair_of_product(a.high, b.high);
  return pair_of_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

// log2(a) for a finite a > 0: e + (2 / ln 2) artanh(s), where artanh(s) = s (1 + z/3 + z^2 (1/5 + z/7 + ...)). All but
// the last summand in pairs: that is so small that its errors are below 2^-63 of the sum.
TESSERA_INLINE Pair log2_of(double a) {
  constexpr Pair kScale = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};  // 2 / ln 2
  constexpr Pair kThird = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
  constexpr std::array<double, 12> kSeries = {1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15,
                                              1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27};
  const Binary<double> parts = binary_of(a);
  const double f = parts.fraction;
  const Pair divisor = pair_of_sum(2.0, f);
  const double quotient = f / divisor.high;
  const Pair back = pair_of_product(quotient, divisor.high);
  const Pair s = {quotient, (((f - back.high) - back.low) - quotient * divisor.low) / divisor.high};
  const Pair z = times(s, s);
  const Pair third = times(z, kThird);
  const double rest = z.high * z.high * polynomial(z.high, kSeries);
  const Pair more = pair_of_sum(third.high, third.low + rest);
  const Pair scaled = times(s, kScale);
  const Pair added = times(scaled, more);
  const Pair log = pair_of_sum(scaled.high, added.high);
  const Pair sum = pair_of_sum(parts.exponent, log.high);
  return {sum.high, sum.low + (log.low + (scaled.low + added.low))};
}

// 2^(exponent + low), infinite above 2^1024 and 0 far below.
TESSERA_INLINE double exp2_of_sum(double exponent, double low) {
  const double near = within(-1100.0, exponent, 1100.0);
  const Whole<double> n = nearest_whole(near);
  const double rest = ((near - n.value) + within(-1.0, low, 1.0)) * Format<double>::ln2;
  return times_power_of_two(1.0 + rest * exp_series(rest), n.bits);
}

// Powers above this of what is not 1 are infinite or 0, and are cut to it.
inline constexpr double kPowerMax = 0x1p66;

// a ** b for a finite a > 0 and a power of at most kPowerMax.
struct WholePower {
  TESSERA_INLINE static double of(double a, double b) {
    const Pair log = log2_of(a);
    const Pair product = pair_of_product(b, log.high);
    return exp2_of_sum(product.high, product.low + b * log.low);
  }
};

// For an f32 base and result: f64 has digits enough without pairs.
struct ShortPower {
  TESSERA_INLINE static double of(double a, double b) {
    constexpr double kScale = 0x1.71547652b82fep+1;  // 2 / ln 2
    constexpr std::array<double, 7> kLog = {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13};
    constexpr std::array<double, 8> kExp = {1.0,       1.0 / 2,   1.0 / 6,     1.0 / 24,
                                            1.0 / 120, 1.0 / 720, 1.0 / 5'040, 1.0 / 40'320};
    const Binary<double> parts = normal_binary_of(a);
    const double s = parts.fraction / (2.0 + parts.fraction);
    const double log = parts.exponent + kScale * s * polynomial(s * s, kLog);
    const double exponent = within(-200.0, b * log, 200.0);
    const Whole<double> n = nearest_whole(exponent);
    const double rest = (exponent - n.value) * Format<double>::ln2;
    return (1.0 + rest * polynomial(rest, kExp)) * power_of_two<double>(n.bits);
  }
};

// True if x >= 0 has no fraction; NaN has one.
TESSERA_INLINE bool is_whole(double x) {
  constexpr double kWhole = Format<double>::whole_from;
  const double near = within(0.0, x, kWhole);
  return (near + kWhole) - kWhole == near;
}

// As std::pow, by one of the two above.
template <class Core>
TESSERA_INLINE double power_by(double a, double b) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const double size = magnitude(a);
  const double finite = Core::of(size, within(-kPowerMax, b, kPowerMax));
  const double of_zero = choose(b < 0.0, kInfinity, 0.0);
  const double of_infinity = choose(b < 0.0, 0.0, kInfinity);
  const double of_size = choose(size == 0.0, of_zero, choose(size == kInfinity, of_infinity, finite));
  const bool has_whole = is_whole(magnitude(b));
  const double sign = choose(has_whole, choose(is_whole(0.5 * magnitude(b)), 0.0, a), 0.0);
  const double least = choose(has_whole, -kInfinity, 0.0);  // of the bases that have a power, but for -infinity
  const double turned = with_sign_of(of_size, sign);
  const double real = choose(size == kInfinity, turned, choose(a < least, kNone, turned));
  const double known = choose(b != b, b, choose(a != a, a, real));
  return choose(b == 0.0, 1.0, choose(a == 1.0, 1.0, known));
}

TESSERA_INLINE double power(double a, double b) { return power_by<WholePower>(a, b); }
TESSERA_INLINE float power(float a, float b) {
  return static_cast<float>(power_by<ShortPower>(static_cast<double>(a), static_cast<double>(b)));
}

}  // namespace tessera::runtime::formulas
