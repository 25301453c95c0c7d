// f16 and bf16 against what they are by definition: a sign, and a whole number of steps of a power of two.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "synth/layout/half_elements.hpp"

namespace tessera::synth {
namespace {

struct Format {
  ElementType element;
  int fraction_bits;
  int exponent_bits;

  std::uint32_t infinity() const { return ((1U << exponent_bits) - 1U) << fraction_bits; }
  // Of a magnitude's bits below infinity's.
  double value(std::uint32_t bits) const {
    const auto exponent = static_cast<int>(bits >> fraction_bits);
    const auto fraction = static_cast<int>(bits & ((1U << fraction_bits) - 1U));
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (exponent == 0) return std::ldexp(fraction, 1 - bias - fraction_bits);
    return std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
  }
};

constexpr Format kFormats[] = {{ElementType::f16, 10, 5}, {ElementType::bf16, 7, 8}};

TEST(Halves, EveryValueWidensToWhatItIsAndComesBack) {
  for (const Format& format : kFormats) {
    for (std::uint32_t bits = 0; bits < 65'536; ++bits) {
      const auto half = static_cast<std::uint16_t>(bits);
      const float wide = widened(format.element, half);
      const std::uint32_t magnitude = bits & 0x7fffU;
      ASSERT_EQ(std::signbit(wide), bits >= 0x8000U) << bits;
      if (magnitude < format.infinity()) {
        ASSERT_EQ(std::abs(static_cast<double>(wide)), format.value(magnitude)) << bits;
        ASSERT_EQ(stored(format.element, wide), half) << bits;
      } else if (magnitude == format.infinity()) {
        ASSERT_TRUE(std::isinf(wide)) << bits;
        ASSERT_EQ(stored(format.element, wide), half) << bits;
      } else {
        // A signalling NaN comes back quiet.
        ASSERT_TRUE(std::isnan(wide)) << bits;
        ASSERT_EQ(stored(format.element, wide), bits | 1U << (format.fraction_bits - 1)) << bits;
      }
    }
  }
}

// Between two neighbours lies a point, itself an f32, below which all is rounded down and above which up; there the
// even one wins. Beyond the greatest number infinity is its neighbour, as if it went on.
TEST(Halves, RoundingTurnsWhereNeighboursMeet) {
  for (const Format& format : kFormats) {
    for (std::uint32_t low = 0; low < format.infinity(); ++low) {
      const std::uint32_t high = low + 1;
      const double step =
          high < format.infinity() ? format.value(high) - format.value(low) : format.value(low) - format.value(low - 1);
      const auto middle = static_cast<float>(format.value(low) + step / 2);
      ASSERT_EQ(static_cast<double>(middle), format.value(low) + step / 2) << low;
      const std::uint32_t even = low % 2 == 0 ? low : high;
      for (const std::uint32_t sign : {0U, 0x8000U}) {
        const auto signed_of = [&](float x) { return sign == 0 ? x : -x; };
        ASSERT_EQ(stored(format.element, signed_of(middle)), even | sign) << low;
        ASSERT_EQ(stored(format.element, signed_of(std::nextafter(middle, 0.0F))), low | sign) << low;
        ASSERT_EQ(stored(format.element, signed_of(std::nextafter(middle, INFINITY))), high | sign) << low;
      }
    }
  }
}

// With the points above this leaves no f32 out: the magnitudes that are stored never fall.
TEST(Halves, RoundingNeverFalls) {
  for (const Format& format : kFormats) {
    std::uint16_t last = 0;
    for (std::uint32_t bits = 0; bits <= kInfinityBits; bits += 97) {
      const std::uint16_t own = stored(format.element, std::bit_cast<float>(bits));
      ASSERT_GE(own, last) << bits;
      last = own;
    }
    EXPECT_EQ(stored(format.element, std::numeric_limits<float>::max()), format.infinity());
    EXPECT_EQ(stored(format.element, std::numeric_limits<float>::denorm_min()), 0U);
  }
}

TEST(Halves, EveryNanIsStoredAsOne) {
  for (const Format& format : kFormats) {
    for (std::uint32_t bits = kInfinityBits + 1; bits < 0x80000000U; bits += 61) {
      const std::uint16_t own = stored(format.element, std::bit_cast<float>(bits));
      ASSERT_GT(own & 0x7fffU, format.infinity()) << bits;
    }
  }
}

}  // namespace
}  // namespace tessera::synth
