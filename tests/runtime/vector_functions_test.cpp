#include "runtime/kernels/vector_functions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "runtime/elements/formula_parts.hpp"
#include "tests/runtime/function_errors.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

template <class T>
std::vector<T> values_of(MapOp op, const std::vector<T>& x, VectorTarget target = vector_targets().back()) {
  std::vector<T> out(x.size());
  vector_function<T>(op, target)(x.data(), out.data(), static_cast<std::int64_t>(x.size()));
  return out;
}

TEST(ExampleOf, FormulaParts) {
  const formulas::Exponent<double> three = formulas::exponent_of(3.0);
  EXPECT_EQ(formulas::power_of_two<double>(three.n), 16.0);
  EXPECT_NEAR(three.rest, 0.2274, 5e-5);
  EXPECT_NEAR(formulas::times_power_of_two(std::exp(three.rest), three.n), std::exp(3.0), 1e-14);
  const formulas::Binary<double> six = formulas::binary_of(6.0);
  EXPECT_EQ(six.exponent, 3);
  EXPECT_EQ(six.fraction, -0.25);
}

// Any bits, and numbers of ordinary sizes.
template <class T>
std::vector<T> samples(std::size_t n) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(20260101);
  std::vector<T> x = {0,
                      static_cast<T>(-0.0),
                      kInfinity<T>,
                      -kInfinity<T>,
                      std::numeric_limits<T>::quiet_NaN(),
                      std::numeric_limits<T>::denorm_min(),
                      std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::lowest(),
                      std::numeric_limits<T>::min()};
  constexpr std::array<double, 4> kSizes = {1.5, 40, 800, 0x1p20};
  while (x.size() < n) {
    x.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
    for (const double size : kSizes)
      x.push_back(static_cast<T>(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63 * size));
  }
  return x;
}

// Floats as whole numbers: equal for the same bits only, NaNs included.
template <class T>
auto bits_of(const std::vector<T>& values) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::vector<Bits> bits;
  for (const T value : values) bits.push_back(std::bit_cast<Bits>(value));
  return bits;
}

template <class T>
void expect_same_bits_everywhere(MapOp op) {
  const std::vector<T> x = samples<T>(20'001);
  const std::vector<T> baseline = values_of(op, x, VectorTarget::baseline);
  for (const VectorTarget target : vector_targets()) {
    const std::vector<T> got = values_of(op, x, target);
    EXPECT_EQ(bits_of(got), bits_of(baseline)) << synth::name(op) << " for " << name(target);
  }
  const std::vector<T> one = values_of(op, std::vector<T>{x[17]});
  EXPECT_EQ(bits_of(one), bits_of(std::vector<T>{baseline[17]})) << synth::name(op) << " of a single element";
}

TEST(VectorFunctions, HaveTheSameBitsForEveryTarget) {
  for (const StatedError& stated : stated_errors()) {
    expect_same_bits_everywhere<float>(stated.op);
    expect_same_bits_everywhere<double>(stated.op);
  }
}

// Blocks of usual numbers go another way than those with a special one among them.
template <class T>
void expect_same_bits_beside_specials(MapOp op, VectorTarget target) {
  std::mt19937_64 random(7);
  std::vector<T> x;
  while (x.size() < 2'048) x.push_back(static_cast<T>(static_cast<double>(random() >> 11U) * 0x1p-53 * 80));
  const auto usual = bits_of(values_of(op, x, target));
  for (const T special : samples<T>(9)) {
    std::vector<T> beside = x;
    for (std::size_t i = 100; i < x.size(); i += 256) beside[i] = special;
    auto got = bits_of(values_of(op, beside, target));
    const auto alone = bits_of(values_of(op, std::vector<T>{special}, target))[0];
    for (std::size_t i = 100; i < x.size(); i += 256) {
      EXPECT_EQ(got[i], alone) << synth::name(op) << " of " << special;
      got[i] = usual[i];
    }
    EXPECT_EQ(got, usual) << synth::name(op) << " beside " << special << " for " << name(target);
  }
}

TEST(VectorFunctions, HaveTheSameBitsWhateverLiesBesideThem) {
  for (const StatedError& stated : stated_errors()) {
    for (const VectorTarget target : vector_targets()) {
      expect_same_bits_beside_specials<float>(stated.op, target);
      expect_same_bits_beside_specials<double>(stated.op, target);
    }
  }
}

TEST(VectorFunctions, AreAsExactAsStatedForSomeFloats) {
  for (const StatedError& stated : stated_errors())
    EXPECT_LE(worst_error_of_floats(stated.op, 4099), stated.f32) << synth::name(stated.op);
}

TEST(VectorFunctions, AreAsExactAsStatedForSamplesOfDoubles) {
  const std::vector<double> x = samples<double>(50'000);
  for (const StatedError& stated : stated_errors()) {
    const std::vector<double> got = values_of(stated.op, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(error_in_units(got[i], true_value(stated.op, x[i])), stated.f64)
          << synth::name(stated.op) << " of " << x[i];
    }
  }
}

// The sines of numbers next to multiples of pi, and of the largest.
TEST(VectorFunctions, AnglesOfAnySizeAreReduced) {
  const std::vector<double> x = {0x1.6ac5b262ca1ffp+849, -0x1.6ac5b262ca1ffp+849, std::numeric_limits<double>::max(),
                                 0x1.921fb54442d18p+1,   0x1.921fb54442d18p+20,   0x1p20,
                                 0x1.0000000000001p20,   -0x1.0000000000001p20,   0x1.921fb54442d18p+40};
  for (const MapOp op : {MapOp::sin, MapOp::cos}) {
    const std::vector<double> got = values_of(op, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(error_in_units(got[i], true_value(op, x[i])), 1.0) << synth::name(op) << " of " << x[i];
  }
}

struct Special {
  MapOp op;
  double of;
  double is;
};

TEST(VectorFunctions, SpecialValuesAreThoseOfIeee) {
  constexpr double infinite = kInfinity<double>;
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Special> specials = {{MapOp::exp, infinite, infinite},
                                         {MapOp::exp, -infinite, 0.0},
                                         {MapOp::exp, -0.0, 1.0},
                                         {MapOp::exp2, 10.0, 1024.0},
                                         {MapOp::exp2, -infinite, 0.0},
                                         {MapOp::exp2, infinite, infinite},
                                         {MapOp::log, 0.0, -infinite},
                                         {MapOp::log, -0.0, -infinite},
                                         {MapOp::log, -1.0, not_a_number},
                                         {MapOp::log, infinite, infinite},
                                         {MapOp::log, 1.0, 0.0},
                                         {MapOp::log2, 0.0, -infinite},
                                         {MapOp::log2, -1.0, not_a_number},
                                         {MapOp::log2, 0.125, -3.0},
                                         {MapOp::log2, infinite, infinite},
                                         {MapOp::log10, 1000.0, 3.0},
                                         {MapOp::log10, 1e10, 10.0},
                                         {MapOp::log10, -0.0, -infinite},
                                         {MapOp::log1p, -0.0, -0.0},
                                         {MapOp::log1p, -1.0, -infinite},
                                         {MapOp::log1p, -2.0, not_a_number},
                                         {MapOp::log1p, infinite, infinite},
                                         {MapOp::expm1, -0.0, -0.0},
                                         {MapOp::expm1, -infinite, -1.0},
                                         {MapOp::expm1, infinite, infinite},
                                         {MapOp::arctan, -0.0, -0.0},
                                         {MapOp::tanh, -0.0, -0.0},
                                         {MapOp::tanh, infinite, 1.0},
                                         {MapOp::tanh, -infinite, -1.0},
                                         {MapOp::sigmoid, infinite, 1.0},
                                         {MapOp::sigmoid, -infinite, 0.0},
                                         {MapOp::erf, -0.0, -0.0},
                                         {MapOp::erf, infinite, 1.0},
                                         {MapOp::erf, -infinite, -1.0},
                                         {MapOp::gelu, -0.0, -0.0},
                                         {MapOp::gelu, infinite, infinite},
                                         {MapOp::gelu, -infinite, not_a_number},
                                         {MapOp::sin, -0.0, -0.0},
                                         {MapOp::sin, infinite, not_a_number},
                                         {MapOp::cos, -0.0, 1.0},
                                         {MapOp::cos, -infinite, not_a_number}};
  for (const Special& special : specials) {
    const double wide = values_of(special.op, std::vector{special.of})[0];
    const float narrow = values_of(special.op, std::vector{static_cast<float>(special.of)})[0];
    EXPECT_EQ(error_in_units(wide, special.is), 0) << synth::name(special.op) << " of " << special.of;
    EXPECT_EQ(error_in_units(narrow, special.is), 0) << synth::name(special.op) << " of " << special.of;
  }
}

// Whole powers of two and of ten have whole logarithms.
TEST(VectorFunctions, LogarithmsOfPowersOfTheirBaseAreWhole) {
  for (int n = -1074; n <= 1023; ++n) EXPECT_EQ(values_of(MapOp::log2, std::vector{std::ldexp(1.0, n)})[0], n);
  double power = 1;
  for (int n = 0; n <= 22; ++n, power *= 10) EXPECT_EQ(values_of(MapOp::log10, std::vector{power})[0], n);
}

TEST(VectorFunctions, NanStaysNan) {
  for (const StatedError& stated : stated_errors()) {
    EXPECT_TRUE(std::isnan(values_of(stated.op, std::vector{std::numeric_limits<float>::quiet_NaN()})[0]));
    EXPECT_TRUE(std::isnan(values_of(stated.op, std::vector{std::numeric_limits<double>::quiet_NaN()})[0]));
  }
}

// Bases and exponents of every sort: specials with specials, any bits, and pairs whose power is of ordinary size.
template <class T>
std::pair<std::vector<T>, std::vector<T>> bases_and_exponents() {
  const std::vector<T> specials = {0,
                                   static_cast<T>(-0.0),
                                   1,
                                   -1,
                                   2,
                                   -2,
                                   3,
                                   -5,
                                   static_cast<T>(0.5),
                                   static_cast<T>(-2.5),
                                   kInfinity<T>,
                                   -kInfinity<T>,
                                   std::numeric_limits<T>::quiet_NaN(),
                                   std::numeric_limits<T>::denorm_min(),
                                   std::numeric_limits<T>::max(),
                                   std::nextafter(T{1}, T{0}),
                                   static_cast<T>(0x1.fffffep+22),         // a half, in f32
                                   static_cast<T>(0x1.fffffep+23),         // odd
                                   static_cast<T>(0x1.fffffffffffffp51),   // a half, in f64
                                   static_cast<T>(0x1.fffffffffffffp52)};  // odd
  std::vector<T> bases;
  std::vector<T> exponents;
  for (const T base : specials) {
    for (const T exponent : specials) {
      bases.push_back(base);
      exponents.push_back(exponent);
    }
  }
  const std::vector<T> any = samples<T>(60'000);
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i + 1 < any.size(); ++i) {
    bases.push_back(any[i]);
    exponents.push_back(any[i + 1]);
    const T size = std::abs(any[i]);
    const double log = std::log2(static_cast<double>(size));
    const double wanted = static_cast<double>(random() % 2'400) - 1'200;
    bases.push_back(size);
    exponents.push_back(static_cast<T>(wanted * (sizeof(T) == 4 ? 0.125 : 1.0) / log));
  }
  return {bases, exponents};
}

template <class T>
std::vector<T> powers_of(const std::vector<T>& bases, const std::vector<T>& exponents, VectorTarget target) {
  std::vector<T> out(bases.size());
  vector_power<T>(target)(bases.data(), exponents.data(), out.data(), static_cast<std::int64_t>(out.size()));
  return out;
}

template <class T>
void expect_powers(double stated) {
  const auto [bases, exponents] = bases_and_exponents<T>();
  const std::vector<T> baseline = powers_of(bases, exponents, VectorTarget::baseline);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const long double truth = std::pow(static_cast<long double>(bases[i]), static_cast<long double>(exponents[i]));
    ASSERT_LE(error_in_units(baseline[i], truth), stated) << bases[i] << " to " << exponents[i];
  }
  for (const VectorTarget target : vector_targets())
    EXPECT_EQ(bits_of(powers_of(bases, exponents, target)), bits_of(baseline)) << name(target);
}

TEST(VectorFunctions, PowersAreAsExactAsStatedAndHaveTheSameBitsForEveryTarget) {
  expect_powers<float>(1.0);
  expect_powers<double>(1.5);
}

}  // namespace
}  // namespace tessera::runtime::test
