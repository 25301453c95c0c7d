// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011): four random words as
// a pure function of a counter and a key.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/elements/loops.hpp"

namespace tessera::runtime {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

TESSERA_INLINE constexpr PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  TESSERA_UNROLLED(10)
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t right = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(right >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(right),
               static_cast<std::uint32_t>(left >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(left)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

}  // namespace tessera::runtime
