// f16 and bf16: 16 bits that store a number, which is computed with as an f32.
//
//   f16    1 sign, 5 exponent, 10 fraction bits: 0.1 is 0x2e66, the greatest is 65504
//   bf16   1 sign, 8 exponent,  7 fraction bits: the upper half of an f32
//
// Widening is exact. Storing rounds to the nearest, of two equally near ones to the even one; beyond the greatest it
// gives infinity, and NaN stays NaN. Both are done in integers and exact steps, so that the bits are the same on every
// processor and in every rounding mode, and without branches, so that loops over them become vectors. Kernels of GPUs
// take their elements by these functions, too, so that no other header of ours is included.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tessera::synth {

inline constexpr std::uint32_t kInfinityBits = 0x7f800000U;

constexpr float f32_of_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); }

// Drops the lowest bits, rounding to the nearest and then to even; 1 to 31 of them.
constexpr std::uint32_t without_low_bits(std::uint32_t bits, std::uint32_t dropped) {
  return (bits + (1U << (dropped - 1U)) - 1U + (bits >> dropped & 1U)) >> dropped;
}

constexpr std::uint16_t bf16_of_f32(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const bool is_nan = (bits & 0x7fffffffU) > kInfinityBits;
  return static_cast<std::uint16_t>(is_nan ? bits >> 16U | 0x40U : without_low_bits(bits, 16));
}

constexpr float f32_of_f16(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffU;
  const std::uint32_t normal = (magnitude << 13U) + (magnitude >= 0x7c00U ? 0x70000000U : 0x38000000U);
  const auto small = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16U;
  return std::bit_cast<float>((magnitude < 0x400U ? small : normal) | sign);
}

// Below 2^-14 an f16 counts steps of 2^-24.
constexpr std::uint16_t f16_of_f32(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t normal = std::min(without_low_bits(magnitude - 0x38000000U, 13), 0x7c00U);
  const std::uint32_t dropped = std::clamp(126U - std::min(magnitude >> 23U, 112U), 14U, 31U);
  const std::uint32_t small = without_low_bits((magnitude & 0x7fffffU) | 0x800000U, dropped);
  const std::uint32_t finite = magnitude < 0x38800000U ? small : normal;
  const std::uint32_t nan = 0x7e00U | (magnitude >> 13U & 0x3ffU);
  return static_cast<std::uint16_t>((magnitude > kInfinityBits ? nan : finite) | (bits >> 16U & 0x8000U));
}

}  // namespace tessera::synth
