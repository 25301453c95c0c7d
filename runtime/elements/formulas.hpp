// The functions of the language as formulas on one f64.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/elements/formula_parts.hpp"

namespace tessera::runtime::formulas {

// (e^r - 1) / r, for |r| <= ln(2)/2.
TESSERA_INLINE double exp_series(double r) {
  constexpr std::array<double, 13> kInverseFactorials = {
      1.0,          1.0 / 2,       1.0 / 6,         1.0 / 24,         1.0 / 120,         1.0 / 720,          1.0 / 5040,
      1.0 / 40'320, 1.0 / 362'880, 1.0 / 3'628'800, 1.0 / 39'916'800, 1.0 / 479'001'600, 1.0 / 6'227'020'800};
  return polynomial(r, kInverseFactorials);
}

TESSERA_INLINE double exp(double x) {
  const Exponent<double> e = exponent_of(between(-746.0, x, 710.0));
  return times_power_of_two(1.0 + e.rest * exp_series(e.rest), e.n);
}

// For |x| <= Format::usual_exponent, with the same bits; so are all formulas that are called usual.
TESSERA_INLINE double usual_exp(double x) {
  const Exponent<double> e = exponent_of(x);
  return times_usual_power_of_two(1.0 + e.rest * exp_series(e.rest), e.n);
}

TESSERA_INLINE double exp2(double x) {
  const double near = between(-1080.0, x, 1025.0);
  const Whole<double> n = nearest_whole(near);
  const double r = (near - n.value) * Format<double>::ln2;
  return times_power_of_two(1.0 + r * exp_series(r), n.bits);
}

inline constexpr std::array<double, 10> kLogSeries = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                                                      2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
TESSERA_INLINE double log(double x) { return log_by(x, kLogSeries); }
// For normal positive numbers.
TESSERA_INLINE double usual_log(double x) { return log_of_parts(normal_binary_of(x), kLogSeries); }

// Of a power of two the fraction is 0, and the result is its exponent exactly.
TESSERA_INLINE double log2(double x) {
  const Binary<double> parts = binary_of(x);
  const double rest = log_of_parts(Binary<double>{0.0, parts.fraction}, kLogSeries);
  return log_everywhere(x, parts.exponent + rest * Format<double>::log2_e);
}

// log10(2) is taken in two pieces, the first so short that its product with an exponent is exact.
TESSERA_INLINE double log10(double x) {
  constexpr double kTwoHigh = 0x1.34413509f6000p-2;
  constexpr double kTwoLow = 0x1.9fef311f12b36p-42;
  constexpr double kE = 0x1.bcb7b1526e50ep-2;
  const Binary<double> parts = binary_of(x);
  const double rest = log_of_parts(Binary<double>{0.0, parts.fraction}, kLogSeries);
  return log_everywhere(x, parts.exponent * kTwoHigh + (parts.exponent * kTwoLow + rest * kE));
}

// log(u) for u = 1 + x, and what the sum lost to rounding, over u.
TESSERA_INLINE double log1p(double x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double u = 1.0 + x;
  const double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
  const double result = log(u) + (u > 0.0 ? lost / u : 0.0);
  return x == 0.0 || !(x < kInfinity) ? x : result;
}

// e^x = 2^n e^r: 2^n (e^r - 1) + (2^n - 1). Where x is large, 1 is less than the last digit of e^x.
TESSERA_INLINE double expm1(double x) {
  const Exponent<double> e = exponent_of(between(-50.0, x, 50.0));
  const double scale = power_of_two<double>(e.n);
  const double near = scale * (e.rest * exp_series(e.rest)) + (scale - 1.0);
  const double result = x > 40.0 ? exp(x) : near;
  return x == 0.0 ? x : result;
}

// With t in [-tan(pi/8), tan(pi/8)], and a turn of 0, pi/4 or pi/2 that is taken in two pieces: turn + t + t z P(z),
// z = t^2.
TESSERA_INLINE double arctan(double x) {
  constexpr std::array<double, 12> kSeries = {-0x1.5555555555555p-2, 0x1.9999999999952p-3,  -0x1.249249248d739p-3,
                                              0x1.c71c71c2fc236p-4,  -0x1.745d165c497f3p-4, 0x1.3b1392a9c2d8bp-4,
                                              -0x1.110e84aa36d9dp-4, 0x1.e199c62156609p-5,  -0x1.ac7858539e493p-5,
                                              0x1.74d3a7b43351ap-5,  -0x1.1b1992aa413c9p-5, 0x1.0a997ba33c1dbp-6};
  constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
  const double y = magnitude(x);
  const bool is_steep = y > 0x1.3504f333f9de6p+1;
  const bool is_flat = y < 0x1.a827999fcef32p-2;
  const double above = is_steep ? -1.0 : y - 1.0;
  const double below = is_steep ? y : y + 1.0;
  const double t = is_flat || !(y == y) ? y : above / below;
  const double turns = is_steep ? 1.0 : (is_flat ? 0.0 : 0.5);
  const double z = t * t;
  const double bent = t * z * polynomial(z, kSeries) + turns * kHalfPiLow;
  return with_sign_of(turns * kHalfPi + (t + bent), x);
}

// By e^2|x| - 1, which is exact enough near 0.
TESSERA_INLINE double tanh(double x) {
  const double twice = between(0.0, 2.0 * magnitude(x), 44.0);
  const Exponent<double> e = exponent_of(twice);
  const double scale = power_of_two<double>(e.n);
  const double grown = scale * (e.rest * exp_series(e.rest)) + (scale - 1.0);
  return with_sign_of(grown / (grown + 2.0), x);
}

// Never overflows on the way. `e` is e^-|x|.
template <class T>
TESSERA_INLINE T sigmoid_by(T x, T e) {
  return (x < T{0} ? e : T{1}) / (T{1} + e);
}
TESSERA_INLINE double sigmoid(double x) { return sigmoid_by(x, exp(-magnitude(x))); }
TESSERA_INLINE double usual_sigmoid(double x) { return sigmoid_by(x, usual_exp(-magnitude(x))); }

// e^(y^2) erfc(y) for y in [0, 28]: (1 + 2y) times it is smooth in u = (y - 3.75) / (y + 3.75), and
// nearly constant. The coefficients are those of a Chebyshev interpolation in u.
TESSERA_INLINE double scaled_erfc(double y) {
  constexpr std::array<double, 24> kSeries = {
      0x1.3ccda0b5d5dc2p+0,  -0x1.1f367683f89a7p-3,  0x1.d5f29481596dbp-9,   0x1.510169d096809p-4,
      -0x1.bda9309a27c22p-4, 0x1.7a14188a99f2ep-4,   -0x1.e0d0fa6e277fbp-5,  0x1.d0b0037d9e774p-6,
      -0x1.3f603c2bfdb11p-7, 0x1.cc3a0e545184ep-10,  0x1.33fb1d52360cdp-12,  -0x1.303fa4ce461eap-12,
      0x1.b1454911d9515p-15, 0x1.778ca756a460cp-16,  -0x1.8013e48c24fe4p-17, -0x1.05af6b3695501p-20,
      0x1.d74ebb87793e3p-20, -0x1.ceb35bb7c47cfp-25, -0x1.1a8427e790558p-22, 0x1.3b1296c4da978p-26,
      0x1.5f9b09ebc26a1p-25, 0x1.69b4d8af18c67p-33,  -0x1.5cce6b0f17ce8p-28, -0x1.11e171a5add54p-30};
  const double u = (y - 3.75) / (y + 3.75);
  return polynomial(u, kSeries) / (1.0 + 2.0 * y);
}

// erf(x) / x as a polynomial of z = x^2, for |x| <= 3/4.
TESSERA_INLINE double erf_series(double z) {
  constexpr std::array<double, 13> kSeries = {0x1.20dd750429b6dp+0,   -0x1.812746b0379e7p-2,  0x1.ce2f21a042be1p-4,
                                              -0x1.b82ce31288b15p-6,  0x1.565bcd0e69235p-8,   -0x1.c02db3ffcd5edp-11,
                                              0x1.f9a326ddab89bp-14,  -0x1.f4d257aadcd6fp-17, 0x1.b9e646f15d720p-20,
                                              -0x1.5f6a1cb9cac3bp-23, 0x1.fbb883616d4a1p-27,  -0x1.48b588d516d45p-30,
                                              0x1.3fda42ac13d26p-34};
  return polynomial(z, kSeries);
}

TESSERA_INLINE double erf(double x) {
  const double y = between(0.0, magnitude(x), 7.0);
  const double low = y * erf_series(y * y);
  const double high = 1.0 - exp(-y * y) * scaled_erfc(y);
  return with_sign_of(y < 0.75 ? low : high, x);
}

// x/2 erfc(-x / sqrt(2)): nothing cancels where x is negative. The square of x is taken in two pieces, since e^(-x^2/2)
// multiplies the error of its argument.
TESSERA_INLINE double gelu(double x) {
  constexpr double kRootOfHalf = 0x1.6a09e667f3bcdp-1;
  constexpr std::uint64_t kHighHalf = ~std::uint64_t{0x7ff'ffff};
  const double y = between(0.0, magnitude(x), 39.0);
  const double high = float_of(bits_of(y) & kHighHalf);
  const double rest = 0.5 * (y - high) * (y + high);
  const double bell = exp(-0.5 * high * high) * (1.0 - rest * (1.0 - rest * (0.5 - rest * (1.0 / 6))));
  const double half = 0.5 * scaled_erfc(y * kRootOfHalf);
  const double result = x < 0.0 ? x * half * bell : x * (1.0 - half * bell);  // the bell, which may be subnormal, last
  return x == x ? result : x;
}

// Angles up to this are reduced by `reduce_angle`; larger ones by `reduce_large_angle` of large_angle.hpp, which is
// slow.
inline constexpr double kAngleMax = 0x1p20;

TESSERA_INLINE Angle<double> reduce_angle(double x) {
  constexpr std::array<double, 4> kHalfPi = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                             0x1.b839a252049c1p-104};  // 33 bits each but for the last
  const Whole<double> n = nearest_whole(x * 0x1.45f306dc9c883p-1);
  const double a = x - n.value * kHalfPi[0];  // exact, as the products are
  const double b = -(n.value * kHalfPi[1]);
  const double sum = a + b;
  const double back = sum - a;
  const double lost = (a - (sum - back)) + (b - back);
  const double tail = lost - n.value * kHalfPi[2];
  const double high = sum + tail;
  const double moved = high - sum;
  const double low = ((sum - (high - moved)) + (tail - moved)) - n.value * kHalfPi[3];
  return {high, low, n.bits};
}

TESSERA_INLINE double sine(const Angle<double>& angle) {
  constexpr std::array<double, 8> kSine = {-1.0 / 6,
                                           1.0 / 120,
                                           -1.0 / 5040,
                                           1.0 / 362'880,
                                           -1.0 / 39'916'800,
                                           1.0 / 6'227'020'800,
                                           -1.0 / 1'307'674'368'000,
                                           1.0 / 355'687'428'096'000};
  constexpr std::array<double, 7> kCosine = {1.0 / 24,
                                             -1.0 / 720,
                                             1.0 / 40'320,
                                             -1.0 / 3'628'800,
                                             1.0 / 479'001'600,
                                             -1.0 / 87'178'291'200,
                                             1.0 / 20'922'789'888'000};
  return sine_by(angle, kSine, kCosine);
}

}  // namespace tessera::runtime::formulas
