// The functions of the language as formulas on one f32, right to a unit in the last place or a few: polynomials fitted
// so that the greatest relative error is least, well below half a unit; what is lost is lost in the steps' own
// rounding.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/kernels/formula_parts.hpp"

namespace tessera::runtime::formulas {

// e^r, for |r| <= ln(2)/2.
TESSERA_INLINE float exp_near_zero(float r) {
  constexpr std::array<float, 5> kSeries = {0x1.fffffcp-2F, 0x1.555490p-3F, 0x1.5558fap-5F, 0x1.123b6ap-7F,
                                            0x1.6a21acp-10F};
  return 1.0F + (r + r * r * polynomial(r, kSeries));
}

// e^(x + rest), for x in [-127, 87] and a rest of less than a unit of x or so. The result may be subnormal.
TESSERA_INLINE float exp_of_sum(float x, float rest) {
  const Exponent<float> e = exponent_of(x);
  return times_power_of_two(exp_near_zero(e.rest + rest), e.n);
}

TESSERA_INLINE float exp(float x) {
  const Exponent<float> e = exponent_of(between(-105.0F, x, 89.0F));
  return times_power_of_two(exp_near_zero(e.rest), e.n);
}

TESSERA_INLINE float exp2(float x) {
  const float near = between(-151.0F, x, 129.0F);
  const Whole<float> n = nearest_whole(near);
  return times_power_of_two(exp_near_zero((near - n.value) * Format<float>::ln2), n);
}

TESSERA_INLINE float log(float x) {
  constexpr std::array<float, 3> kSeries = {0x1.55557ap-1F, 0x1.995e8cp-2F, 0x1.31e82cp-2F};
  return log_by(x, kSeries);
}

// For |x| <= 126 only, and less exact than the others: for what is subtracted from a larger number.
TESSERA_INLINE float short_exp2(float x) {
  constexpr std::array<float, 5> kSeries = {0x1.62e42ap-1F, 0x1.ebf9b8p-3F, 0x1.c6b760p-5F, 0x1.3cec50p-7F,
                                            0x1.5bb83ep-10F};
  const Whole<float> n = nearest_whole(x);
  const float rest = x - n.value;
  return (1.0F + rest * polynomial(rest, kSeries)) * power_of_two<float>(n.bits);
}

// Near 0 an odd polynomial, elsewhere 1 - 2 / (e^2|x| + 1); from 9.02 on that is 1.
TESSERA_INLINE float tanh(float x) {
  constexpr std::array<float, 4> kSeries = {-0x1.55544ap-2F, 0x1.10cda4p-3F, -0x1.af59c4p-5F, 0x1.0cc738p-6F};
  const float z = x * x;
  const float low = x + x * z * polynomial(z, kSeries);
  const float y = at_most(10.0F, magnitude(x));
  const float high = 1.0F - 2.0F / (short_exp2(y * (2.0F * Format<float>::log2_e)) + 1.0F);
  return with_sign_of(y < 0.55F ? low : high, x);
}

// Never overflows on the way.
TESSERA_INLINE float sigmoid(float x) {
  const float e = exp(-magnitude(x));
  return (x < 0.0F ? e : 1.0F) / (1.0F + e);
}

// erfc(y) is 2^-yq for a polynomial q of y, and what 2^-yq lacks of 1 is exact enough near 0; from 3.92 on that is 1.
TESSERA_INLINE float erf(float x) {
  constexpr std::array<float, 8> kExponent = {-0x1.a0be84p+0F,  -0x1.d63e36p-1F,  -0x1.2fc7eep-3F, 0x1.c8bddep-6F,
                                              -0x1.39faecp-12F, -0x1.d8eb06p-10F, 0x1.1fd9fep-11F, -0x1.ebf2f4p-15F};
  constexpr std::array<float, 6> kSeries = {0x1.62e430p-1F, 0x1.ebfbdcp-3F,  0x1.c6aee6p-5F,
                                            0x1.3b2d52p-7F, 0x1.5f400ep-10F, 0x1.41fa9ep-13F};
  const float y = at_most(4.0F, magnitude(x));
  const float exponent = y * paired_polynomial(y, kExponent);
  const Whole<float> n = nearest_whole(exponent);
  const float rest = exponent - n.value;
  const float scale = power_of_two<float>(n.bits);
  return with_sign_of(scale * (rest * polynomial(rest, kSeries)) + (scale - 1.0F), x);
}

// With y = |x|: -y Q(y) where x is negative, y - y Q(y) where not; nothing cancels. (y + 5/2) Q(y) e^(y^2/2) is a
// polynomial of u = (y - 5/2) / (y + 5/2). The square of y is taken in two pieces, since e^(-y^2/2) multiplies the
// error of its argument.
TESSERA_INLINE float gelu(float x) {
  constexpr std::array<float, 10> kSeries = {0x1.69cee6p-1F,   -0x1.bc19c2p-2F,  0x1.0e4f30p-3F, 0x1.2ea454p-7F,
                                             -0x1.0c783ep-6F,  -0x1.a3aae0p-10F, 0x1.4ac4d6p-9F, 0x1.66cec2p-11F,
                                             -0x1.464dd2p-12F, -0x1.4a3336p-13F};
  constexpr std::uint32_t kHighHalf = ~std::uint32_t{0xfff};
  const float size = magnitude(x);
  const float y = at_most(15.0F, size);
  const float high = float_of(bits_of(y) & kHighHalf);
  const float bell = exp_of_sum(-0.5F * high * high, -0.5F * ((y - high) * (y + high)));
  const float t = 1.0F / (y + 2.5F);
  const float tail = t * paired_polynomial(1.0F - 5.0F * t, kSeries);
  const float part = (x < 0.0F ? size : y) * tail * bell;  // the bell, which may be subnormal, last
  return with_sign_of(x < 0.0F ? part : size - part, x);
}

// Angles up to this are reduced by `reduce_angle`.
inline constexpr float kSingleAngleMax = 0x1p13F;

TESSERA_INLINE Angle<float> reduce_angle(float x) {
  constexpr std::array<float, 4> kHalfPi = {0x1.92p+0F, 0x1.fb4p-12F, 0x1.444p-24F, 0x1.68c234p-39F};
  const Whole<float> n = nearest_whole(x * 0x1.45f306p-1F);
  const float a = (x - n.value * kHalfPi[0]) - n.value * kHalfPi[1];  // exact: but for the last, 11 bits each
  const float b = n.value * kHalfPi[2];
  const float sum = a - b;
  const float tail = ((a - sum) - b) - n.value * kHalfPi[3];
  const float high = sum + tail;
  return {high, (sum - high) + tail, n.bits};
}

TESSERA_INLINE float sine(const Angle<float>& angle) {
  constexpr std::array<float, 3> kSine = {-0x1.555546p-3F, 0x1.110754p-7F, -0x1.994abcp-13F};
  constexpr std::array<float, 3> kCosine = {0x1.55554ap-5F, -0x1.6c0c28p-10F, 0x1.99e7f0p-16F};
  return sine_by(angle, kSine, kCosine);
}

}  // namespace tessera::runtime::formulas
