// The functions of the language as formulas on one f32, right to a unit in the last place or a few: polynomials fitted
// for the least greatest relative error, well below half a unit; the remaining error is the rounding of the steps
// themselves.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/elements/formula_parts.hpp"
#include "runtime/elements/formulas.hpp"

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

TESSERA_INLINE float usual_exp(float x) {
  const Exponent<float> e = exponent_of(x);
  return times_usual_power_of_two(exp_near_zero(e.rest), e.n);
}

TESSERA_INLINE float exp2(float x) {
  const float near = between(-151.0F, x, 129.0F);
  const Whole<float> n = nearest_whole(near);
  return times_power_of_two(exp_near_zero((near - n.value) * Format<float>::ln2), n.bits);
}

inline constexpr std::array<float, 3> kSingleLogSeries = {0x1.55557ap-1F, 0x1.995e8cp-2F, 0x1.31e82cp-2F};
TESSERA_INLINE float log(float x) { return log_by(x, kSingleLogSeries); }
TESSERA_INLINE float usual_log(float x) { return log_of_parts(normal_binary_of(x), kSingleLogSeries); }

// x P(x^2) / Q(x^2), but 1 at most. It is a little above 1 at `end`, and larger numbers are taken as that.
template <std::size_t N, std::size_t M>
TESSERA_INLINE float odd_quotient(float x, float end, const std::array<float, N>& p, const std::array<float, M>& q) {
  const float y = at_most(end, magnitude(x));
  const float z = y * y;
  return with_sign_of(at_most(1.0F, y * paired_polynomial(z, p) / paired_polynomial(z, q)), x);
}

TESSERA_INLINE float tanh(float x) {
  constexpr std::array<float, 5> kAbove = {0x1p+0F, 0x1.1213d2p-3F, 0x1.ca6bc6p-9F, 0x1.5a3acep-16F, 0x1.cbfbf6p-27F};
  constexpr std::array<float, 5> kBelow = {0x1p+0F, 0x1.de5f36p-2F, 0x1.a816f4p-6F, 0x1.58d51ep-12F, 0x1.a248dp-21F};
  return odd_quotient(x, 9.6F, kAbove, kBelow);
}

// The first two coefficients are such that their quotient is 2 / sqrt(pi) nearly exactly.
TESSERA_INLINE float erf(float x) {
  constexpr std::array<float, 6> kAbove = {0x1.851ae8p+0F, 0x1.066a20p-2F,  0x1.22dea8p-4F,
                                           0x1.4b9616p-8F, 0x1.917032p-12F, 0x1.71cc8cp-19F};
  constexpr std::array<float, 6> kBelow = {0x1.58d5dep+0F, 0x1.5a2b5ep-1F,  0x1.3a9612p-3F,
                                           0x1.49f5f6p-6F, 0x1.9963a2p-10F, 0x1.ad7a96p-15F};
  return odd_quotient(x, 4.2F, kAbove, kBelow);
}

TESSERA_INLINE float sigmoid(float x) { return sigmoid_by(x, exp(-magnitude(x))); }
TESSERA_INLINE float usual_sigmoid(float x) { return sigmoid_by(x, usual_exp(-magnitude(x))); }

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

// These are seldom in a program's innermost loop: they are computed as f64 and rounded once more.
TESSERA_INLINE float log2(float x) { return static_cast<float>(log2(static_cast<double>(x))); }
TESSERA_INLINE float log10(float x) { return static_cast<float>(log10(static_cast<double>(x))); }
TESSERA_INLINE float log1p(float x) { return static_cast<float>(log1p(static_cast<double>(x))); }
TESSERA_INLINE float expm1(float x) { return static_cast<float>(expm1(static_cast<double>(x))); }
TESSERA_INLINE float arctan(float x) { return static_cast<float>(arctan(static_cast<double>(x))); }

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
