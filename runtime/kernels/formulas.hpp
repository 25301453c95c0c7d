// The functions of the language as formulas on one double: additions, multiplications, divisions, selections and moves
// of bits, without branches or library calls. A compiler makes loops of vectors of them, and every width of vectors
// gives the same bits, since IEEE decides each step and nothing is contracted (-ffp-contract=off).
//
// f32 is computed in double and rounded once at the end, with shorter polynomials.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "runtime/kernels/loops.hpp"

namespace tessera::runtime::formulas {

// For which element type a formula has to be exact enough.
enum class Precision : std::uint8_t { single, full };

TESSERA_INLINE std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
TESSERA_INLINE double double_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;

TESSERA_INLINE double magnitude(double x) { return double_of(bits_of(x) & ~kSignBit); }
TESSERA_INLINE double with_sign_of(double x, double sign) {
  return double_of((bits_of(x) & ~kSignBit) | (bits_of(sign) & kSignBit));
}
// NaN stays NaN.
TESSERA_INLINE double between(double low, double x, double high) {
  const double raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t I = 0, std::size_t N>
TESSERA_INLINE double polynomial(double x, const std::array<double, N>& c) {
  if constexpr (I + 1 == N)
    return c[I];
  else
    return c[I] + x * polynomial<I + 1>(x, c);
}

// A sum with this has a whole number in its last bits.
inline constexpr double kRounder = 0x1.8p52;

// The nearest whole number, as a double and (its last bits) as bits. Exact for |x| < 2^51.
struct Whole {
  double value;
  std::uint64_t bits;
};
TESSERA_INLINE Whole nearest_whole(double x) {
  const double sum = x + kRounder;
  return {sum - kRounder, bits_of(sum)};
}
// 2^n, for the bits of a whole number in [-1022, 1023].
TESSERA_INLINE double power_of_two(std::uint64_t whole_bits) { return double_of((whole_bits << 52U) + bits_of(1.0)); }

inline constexpr double kLn2High = 0x1.62e42fee00000p-1;  // 32 bits: its product with an exponent is exact
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kLog2E = 0x1.71547652b82fep+0;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;

// (e^r - 1) / r, for |r| <= ln(2)/2.
template <Precision precision>
TESSERA_INLINE double exp_series(double r) {
  constexpr std::array<double, 13> kInverseFactorials = {
      1.0,          1.0 / 2,       1.0 / 6,         1.0 / 24,         1.0 / 120,         1.0 / 720,          1.0 / 5040,
      1.0 / 40'320, 1.0 / 362'880, 1.0 / 3'628'800, 1.0 / 39'916'800, 1.0 / 479'001'600, 1.0 / 6'227'020'800};
  constexpr std::array<double, 8> kFirst = {1.0,       1.0 / 2,   1.0 / 6,    1.0 / 24,
                                            1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40'320};
  if constexpr (precision == Precision::full)
    return polynomial(r, kInverseFactorials);
  else
    return polynomial(r, kFirst);
}

// e^r 2^n. The power is applied in two halves: the result may be subnormal or infinite though each half is neither.
template <Precision precision>
TESSERA_INLINE double scaled_exp(double r, const Whole& n) {
  const Whole half = nearest_whole(n.value * 0.5);
  const Whole rest = nearest_whole(n.value - half.value);
  return (1.0 + r * exp_series<precision>(r)) * power_of_two(half.bits) * power_of_two(rest.bits);
}

template <Precision precision>
TESSERA_INLINE double exp(double x) {
  const double near = between(-746.0, x, 710.0);
  const Whole n = nearest_whole(near * kLog2E);
  const double r = (near - n.value * kLn2High) - n.value * kLn2Low;
  return scaled_exp<precision>(r, n);
}

template <Precision precision>
TESSERA_INLINE double exp2(double x) {
  const double near = between(-1080.0, x, 1025.0);
  const Whole n = nearest_whole(near);
  return scaled_exp<precision>((near - n.value) * kLn2, n);
}

// With x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), and s = f / (2 + f): log(1 + f) = 2 artanh(s).
template <Precision precision>
TESSERA_INLINE double log(double x) {
  constexpr std::array<double, 10> kAll = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                                           2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
  constexpr std::array<double, 5> kFirst = {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11};
  constexpr std::uint64_t kRootOfHalf = 0x3fe6'a09e'667f'3bcd;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_subnormal = x < std::numeric_limits<double>::min();
  const double normal = is_subnormal ? x * 0x1p54 : x;
  const std::uint64_t above = bits_of(normal) - kRootOfHalf;  // the exponent, but for its sign, stands in the high bits
  const std::uint64_t exponent = (above + (std::uint64_t{1024} << 52U)) >> 52U;
  const double e = (double_of(exponent | bits_of(0x1p52)) - (0x1p52 + 1024.0)) - (is_subnormal ? 54.0 : 0.0);
  const double f = double_of(bits_of(normal) - ((exponent - 1024U) << 52U)) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double series = z * (precision == Precision::full ? polynomial(z, kAll) : polynomial(z, kFirst));
  const double half = 0.5 * f * f;
  const double finite = e * kLn2High - ((half - (s * (half + series) + e * kLn2Low)) - f);
  const double positive = x < kInfinity ? finite : x;
  const double nonnegative = x > 0.0 ? positive : -kInfinity;
  const double result = x < 0.0 ? std::numeric_limits<double>::quiet_NaN() : nonnegative;
  return x == x ? result : x;
}

// By e^2|x| - 1, which is exact enough near 0.
template <Precision precision>
TESSERA_INLINE double tanh(double x) {
  const double twice = between(0.0, 2.0 * magnitude(x), 44.0);
  const Whole n = nearest_whole(twice * kLog2E);
  const double r = (twice - n.value * kLn2High) - n.value * kLn2Low;
  const double scale = power_of_two(n.bits);
  const double grown = scale * (r * exp_series<precision>(r)) + (scale - 1.0);
  return with_sign_of(grown / (grown + 2.0), x);
}

// Never overflows on the way.
template <Precision precision>
TESSERA_INLINE double sigmoid(double x) {
  const double e = exp<precision>(-magnitude(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// e^(y^2) erfc(y) for y in [0, 28], ([0, 12] for f32): (1 + 2y) times it is smooth in u = (y - 3.75) / (y + 3.75), and
// nearly constant. The coefficients are those of a Chebyshev interpolation in u.
template <Precision precision>
TESSERA_INLINE double scaled_erfc(double y) {
  constexpr std::array<double, 24> kFull = {
      0x1.3ccda0b5d5dc2p+0,  -0x1.1f367683f89a7p-3,  0x1.d5f29481596dbp-9,   0x1.510169d096809p-4,
      -0x1.bda9309a27c22p-4, 0x1.7a14188a99f2ep-4,   -0x1.e0d0fa6e277fbp-5,  0x1.d0b0037d9e774p-6,
      -0x1.3f603c2bfdb11p-7, 0x1.cc3a0e545184ep-10,  0x1.33fb1d52360cdp-12,  -0x1.303fa4ce461eap-12,
      0x1.b1454911d9515p-15, 0x1.778ca756a460cp-16,  -0x1.8013e48c24fe4p-17, -0x1.05af6b3695501p-20,
      0x1.d74ebb87793e3p-20, -0x1.ceb35bb7c47cfp-25, -0x1.1a8427e790558p-22, 0x1.3b1296c4da978p-26,
      0x1.5f9b09ebc26a1p-25, 0x1.69b4d8af18c67p-33,  -0x1.5cce6b0f17ce8p-28, -0x1.11e171a5add54p-30};
  constexpr std::array<double, 14> kSingle = {0x1.3ccda0b5d50a9p+0,  -0x1.1f367682087d0p-3, 0x1.d5f294075d096p-9,
                                              0x1.510168ca3f6e7p-4,  -0x1.bda92ef299176p-4, 0x1.7a142d6c3da43p-4,
                                              -0x1.e0d130c7825c6p-5, 0x1.d0acdd1ba6b06p-6,  -0x1.3f5bd80c78e07p-7,
                                              0x1.cd40022784e42p-10, 0x1.33ca8add87618p-12, -0x1.3b3678111fdb8p-12,
                                              0x1.83932576cc803p-15, 0x1.178461d8e81f4p-15};
  const double u = (y - 3.75) / (y + 3.75);
  return (precision == Precision::full ? polynomial(u, kFull) : polynomial(u, kSingle)) / (1.0 + 2.0 * y);
}

// erf(x) / x as a polynomial of z = x^2, for |x| <= 3/4.
template <Precision precision>
TESSERA_INLINE double erf_series(double z) {
  constexpr std::array<double, 13> kFull = {0x1.20dd750429b6dp+0,   -0x1.812746b0379e7p-2,  0x1.ce2f21a042be1p-4,
                                            -0x1.b82ce31288b15p-6,  0x1.565bcd0e69235p-8,   -0x1.c02db3ffcd5edp-11,
                                            0x1.f9a326ddab89bp-14,  -0x1.f4d257aadcd6fp-17, 0x1.b9e646f15d720p-20,
                                            -0x1.5f6a1cb9cac3bp-23, 0x1.fbb883616d4a1p-27,  -0x1.48b588d516d45p-30,
                                            0x1.3fda42ac13d26p-34};
  constexpr std::array<double, 7> kSingle = {0x1.20dd75040cec4p+0,  -0x1.81274661ca5c3p-2, 0x1.ce2efea776360p-4,
                                             -0x1.b827051379f15p-6, 0x1.55e3343fd3eb7p-8,  -0x1.b624c9b06ee75p-11,
                                             0x1.8d384f1f8881ap-14};
  return precision == Precision::full ? polynomial(z, kFull) : polynomial(z, kSingle);
}

template <Precision precision>
TESSERA_INLINE double erf(double x) {
  const double y = between(0.0, magnitude(x), 7.0);
  const double low = y * erf_series<precision>(y * y);
  const double high = 1.0 - exp<precision>(-y * y) * scaled_erfc<precision>(y);
  return with_sign_of(y < 0.75 ? low : high, x);
}

// x/2 erfc(-x / sqrt(2)): nothing cancels where x is negative. The square of x is taken in two pieces, since e^(-x^2/2)
// multiplies the error of its argument.
template <Precision precision>
TESSERA_INLINE double gelu(double x) {
  constexpr double kRootOfHalf = 0x1.6a09e667f3bcdp-1;
  constexpr std::uint64_t kHighHalf = ~std::uint64_t{0x7ff'ffff};
  const double y = between(0.0, magnitude(x), 39.0);
  const double high = double_of(bits_of(y) & kHighHalf);
  const double rest = 0.5 * (y - high) * (y + high);
  const double bell = exp<precision>(-0.5 * high * high) * (1.0 - rest * (1.0 - rest * (0.5 - rest * (1.0 / 6))));
  const double half = 0.5 * scaled_erfc<precision>(y * kRootOfHalf);
  const double result = x < 0.0 ? x * half * bell : x * (1.0 - half * bell);  // the bell, which may be subnormal, last
  return x == x ? result : x;
}

// A remainder of an angle by pi/2, as a sum of two doubles, and how many quarters were taken off (its last two bits).
struct Angle {
  double high;
  double low;
  std::uint64_t quarters;
};

// Angles up to this are reduced by `reduce_angle`; larger ones by `reduce_large_angle`, which is slow.
inline constexpr double kAngleMax = 0x1p20;

TESSERA_INLINE Angle reduce_angle(double x) {
  constexpr std::array<double, 4> kHalfPi = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                             0x1.b839a252049c1p-104};  // 33 bits each but for the last
  const Whole n = nearest_whole(x * 0x1.45f306dc9c883p-1);
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

// Expects |x| > kAngleMax.
Angle reduce_large_angle(double x);

// The sine of the angle whose remainder it is.
template <Precision precision>
TESSERA_INLINE double sine(const Angle& angle) {
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
  constexpr std::array<double, 5> kSineSingle = {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362'880, -1.0 / 39'916'800};
  constexpr std::array<double, 5> kCosineSingle = {1.0 / 24, -1.0 / 720, 1.0 / 40'320, -1.0 / 3'628'800,
                                                   1.0 / 479'001'600};
  constexpr bool kIsFull = precision == Precision::full;
  const double r = angle.high;
  const double z = r * r;
  const double sine = r + (angle.low + r * z * (kIsFull ? polynomial(z, kSine) : polynomial(z, kSineSingle)));
  const double half = 0.5 * z;
  const double one = 1.0 - half;
  const double cosine =
      one + (((1.0 - one) - half) +
             (z * z * (kIsFull ? polynomial(z, kCosine) : polynomial(z, kCosineSingle)) - r * angle.low));
  const double chosen = (angle.quarters & 1U) != 0 ? cosine : sine;
  return double_of(bits_of(chosen) ^ ((angle.quarters & 2U) << 62U));
}

}  // namespace tessera::runtime::formulas
