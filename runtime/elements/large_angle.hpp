// Angles of any size by whole-number arithmetic: the fraction of x / (2 pi) from as many bits of 2/pi as matter.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "runtime/elements/formulas.hpp"

namespace tessera::runtime::formulas {

namespace large {

using Wide = __uint128_t;

// 2/pi in units of 2^-1280, the highest word first, behind a word of zeros.
inline constexpr std::array<std::uint64_t, 21> kTwoOverPi = {0,
                                                             0xa2f9'836e'4e44'1529,
                                                             0xfc27'57d1'f534'ddc0,
                                                             0xdb62'9599'3c43'9041,
                                                             0xfe51'63ab'debb'c561,
                                                             0xb724'6e3a'424d'd2e0,
                                                             0x0649'2eea'09d1'921c,
                                                             0xfe1d'eb1c'b129'a73e,
                                                             0xe882'35f5'2ebb'4484,
                                                             0xe99c'7026'b45f'7e41,
                                                             0x3991'd639'8353'39f4,
                                                             0x9c84'5f8b'bdf9'283b,
                                                             0x1ff8'97ff'de05'980f,
                                                             0xef2f'118b'5a0a'6d1f,
                                                             0x6d36'7ecf'27cb'09b7,
                                                             0x4f46'3f66'9e5f'ea2d,
                                                             0x7527'bac7'ebe5'f17b,
                                                             0x3d07'39f7'8a52'92ea,
                                                             0x6bfb'5fb1'1f8d'5d08,
                                                             0x5603'3046'fc7b'6bab,
                                                             0xf0cf'bc20'9af4'361d};

// 192 bits, the highest word first.
using Words = std::array<std::uint64_t, 3>;

inline Words shifted_left(const Words& words, unsigned by, std::uint64_t after) {
  if (by == 0) return words;
  const unsigned rest = 64U - by;
  return {words[0] << by | words[1] >> rest, words[1] << by | words[2] >> rest, words[2] << by | after >> rest};
}

// 192 bits of 2/pi, from the one of weight 2^-(from + 1) on; `from` is at least -64.
inline Words bits_of_two_over_pi(int from) {
  const auto place = static_cast<unsigned>(from + 64);
  const std::size_t word = place / 64U;
  return shifted_left({kTwoOverPi[word], kTwoOverPi[word + 1], kTwoOverPi[word + 2]}, place % 64U,
                      kTwoOverPi[word + 3]);
}

// The product modulo 2^192.
inline Words times(const Words& words, std::uint64_t factor) {
  Words product{};
  Wide carry = 0;
  for (std::size_t i = words.size(); i-- > 0;) {
    carry += Wide{words[i]} * factor;
    product[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64U;
  }
  return product;
}

inline Words negated(const Words& words) {
  Words result{};
  std::uint64_t carry = 1;
  for (std::size_t i = words.size(); i-- > 0;) {
    result[i] = ~words[i] + carry;
    carry = static_cast<std::uint64_t>(carry == 1 && result[i] == 0);
  }
  return result;
}

// words / 2^192 * pi/2 as a sum of two doubles.
inline Angle<double> quarter_turns(Words words, std::uint64_t quarters) {
  constexpr std::uint64_t kHalfPi = 0xc90f'daa2'2168'c234;  // in units of 2^-63
  int shift = 0;
  while (words[0] == 0 && shift < 128) {
    words = {words[1], words[2], 0};
    shift += 64;
  }
  const int zeros = std::countl_zero(words[0]);
  if (words[0] == 0) return {0.0, 0.0, quarters};
  words = shifted_left(words, static_cast<unsigned>(zeros), 0);
  const Wide product = Wide{words[0]} * kHalfPi + (Wide{words[1]} * kHalfPi >> 64U);
  const std::uint64_t high = static_cast<std::uint64_t>(product >> 75U) << 11U;
  const std::uint64_t low = static_cast<std::uint64_t>((product - (Wide{high} << 64U)) >> 22U);
  const auto scaled = [exponent = -127 - shift - zeros](std::uint64_t word, int by) {
    return static_cast<double>(word) * power_of_two<double>(static_cast<std::uint64_t>(std::int64_t{by} + exponent));
  };
  return {scaled(high, 64), scaled(low, 22), quarters};
}

}  // namespace large

// Expects |x| > kAngleMax.
TESSERA_APART Angle<double> reduce_large_angle(double x) {
  const double size = magnitude(x);
  if (!(size < std::numeric_limits<double>::infinity())) {
    const double none = size == size ? std::numeric_limits<double>::quiet_NaN() : x;
    return {none, none, 0};
  }
  const std::uint64_t mantissa = (bits_of(size) & 0xf'ffff'ffff'ffff) | std::uint64_t{1} << 52U;
  const int exponent = static_cast<int>(bits_of(size) >> 52U) - 1075;
  // Bits of 2/pi whose product with x is a whole number of turns are left out.
  const large::Words turns = large::times(large::bits_of_two_over_pi(exponent - 2), mantissa);
  std::uint64_t quarters = turns[0] >> 62U;
  large::Words rest = large::shifted_left(turns, 2, 0);
  const bool is_beyond = (rest[0] >> 63U) != 0;  // nearer to the next quarter
  if (is_beyond) {
    rest = large::negated(rest);
    ++quarters;
  }
  Angle<double> angle = large::quarter_turns(rest, quarters);
  if (is_beyond != (x < 0)) angle = {-angle.high, -angle.low, angle.quarters};
  if (x < 0) angle.quarters = std::uint64_t{0} - angle.quarters;
  return angle;
}

}  // namespace tessera::runtime::formulas
