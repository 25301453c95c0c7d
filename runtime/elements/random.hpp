// Random numbers: the element with a number in its whole array is a pure function of that number and a seed.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/elements/formulas.hpp"
#include "runtime/elements/philox.hpp"

namespace tessera::runtime {

TESSERA_INLINE PhiloxCounter random_words(std::int64_t seed, std::int64_t number) {
  const auto key = static_cast<std::uint64_t>(seed);
  const auto counter = static_cast<std::uint64_t>(number);
  return philox4x32({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U), 0, 0},
                    {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32U)});
}

// A whole number below 2^32 as a double, by moves of bits: not every processor has vectors for it.
TESSERA_INLINE double exactly(std::uint64_t small) {
  return formulas::float_of(small | formulas::bits_of(0x1p52)) - 0x1p52;
}

TESSERA_INLINE double uniform53(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (std::uint64_t{high} << 32U | low) >> 11U;
  return (exactly(bits >> 32U) * 0x1p32 + exactly(bits & 0xffff'ffffU)) * 0x1p-53;
}

struct Uniform {
  template <class T>
  TESSERA_INLINE static T of(const PhiloxCounter& words) {
    if constexpr (std::same_as<T, float>)
      return static_cast<float>(static_cast<std::int32_t>(words[0] >> 8U)) * 0x1p-24F;
    else
      return uniform53(words[0], words[1]);
  }
};

// By Box and Muller; the angle is taken in quarters of a turn, of which the whole ones are exact.
struct Gaussian {
  template <class T>
  TESSERA_INLINE static T of(const PhiloxCounter& words) {
    constexpr double kHalfPi = 0x1.921fb54442d18p+0;
    const double radius = std::sqrt(-2.0 * formulas::log(1.0 - uniform53(words[0], words[1])));
    const double quarters = 4.0 * uniform53(words[2], words[3]);
    const formulas::Whole<double> whole = formulas::nearest_whole(quarters);
    const formulas::Angle<double> angle{(quarters - whole.value) * kHalfPi, 0.0, whole.bits + 1U};
    return static_cast<T>(radius * formulas::sine(angle));
  }
};

}  // namespace tessera::runtime
