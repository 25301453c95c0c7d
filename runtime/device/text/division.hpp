// Division by a number that is known before the kernel begins: a multiplication and a shift.
#pragma once

#include <bit>
#include <cstdint>

namespace tessera::kernel {

struct Divisor {
  std::uint32_t value = 1;
  std::uint32_t magic = 0x80000001U;
  std::uint32_t shift = 0;
};

// For values in [1, 2^31). With s = ceil(log2 value) the magic number exceeds 2^(31 + s) / value by at most one, which
// changes no quotient of n < 2^31.
constexpr Divisor divisor_of(std::int64_t value) {
  const auto shift = static_cast<std::uint32_t>(64 - std::countl_zero(static_cast<std::uint64_t>(value - 1)));
  const std::uint64_t magic = (std::uint64_t{1} << (31U + shift)) / static_cast<std::uint64_t>(value) + 1;
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(magic), shift};
}

// n < 2^31.
constexpr std::uint32_t quotient(std::uint32_t n, const Divisor& by) {
  return static_cast<std::uint32_t>((std::uint64_t{2 * n} * by.magic) >> 32U) >> by.shift;
}

// n becomes its quotient; what is left over is returned.
constexpr std::uint32_t divide(std::uint32_t& n, const Divisor& by) {
  const std::uint32_t whole = quotient(n, by);
  const std::uint32_t rest = n - whole * by.value;
  n = whole;
  return rest;
}

}  // namespace tessera::kernel
