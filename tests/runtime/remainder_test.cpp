// The exact remainder against the library's, on any bits and on those where exponents are near.
#include "runtime/elements/remainder.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace tessera::runtime {
namespace {

template <class T>
bool are_same(T a, T b) {
  return (a != a && b != b) || formulas::bits_of(a) == formulas::bits_of(b);
}

template <class T>
void expect_library_remainder(T a, T b) {
  ASSERT_TRUE(are_same(exact_remainder(a, b), std::fmod(a, b))) << std::hexfloat << a << " " << b;
}

template <class T>
void check_any_bits(int pairs) {
  using Bits = formulas::BitsOf<T>;
  constexpr unsigned kPlace = formulas::Format<T>::fraction_bits;
  std::mt19937_64 random(7);
  for (int i = 0; i < pairs; ++i) {
    const auto a = static_cast<Bits>(random());
    const auto b = static_cast<Bits>(random());
    expect_library_remainder(std::bit_cast<T>(a), std::bit_cast<T>(b));
    // Exponents that are a few apart, few digits, and subnormal numbers.
    const auto near = static_cast<Bits>((b & ~(~Bits{0} << kPlace)) | (a >> kPlace) % 40 << kPlace);
    expect_library_remainder(std::bit_cast<T>(static_cast<Bits>(a << 6U >> 6U)), std::bit_cast<T>(near));
    expect_library_remainder(std::bit_cast<T>(static_cast<Bits>(a & ~Bits{0} << (kPlace - 3))),
                             std::bit_cast<T>(static_cast<Bits>(b & ~Bits{0} << (kPlace - 3))));
    expect_library_remainder(std::bit_cast<T>(near), std::bit_cast<T>(static_cast<Bits>(b >> (random() % kPlace))));
  }
}

TEST(Remainder, IsTheLibrarysForAnyBits) {
  check_any_bits<float>(500'000);
  check_any_bits<double>(200'000);
}

TEST(Remainder, IsTheLibrarysForZerosInfinitiesAndNaN) {
  const double values[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 0x1p-1074, 0x1p1023, 0x1p-1022};
  for (const double a : values) {
    for (const double b : values) {
      expect_library_remainder(a, b);
      expect_library_remainder(static_cast<float>(a), static_cast<float>(b));
    }
  }
}

}  // namespace
}  // namespace tessera::runtime
