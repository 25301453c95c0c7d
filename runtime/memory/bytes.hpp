// Sums of sizes that may not fit: they stop at the largest number instead, which no memory has.
#pragma once

#include <cstdint>
#include <limits>

namespace tessera::runtime {

inline constexpr std::int64_t kAlignment = 64;
inline constexpr std::int64_t kBytesMax = std::numeric_limits<std::int64_t>::max();

inline std::int64_t add_bytes(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kBytesMax : sum;
}

// The next multiple of the alignment.
inline std::int64_t aligned(std::int64_t bytes) {
  return bytes > kBytesMax - kAlignment ? kBytesMax : (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace tessera::runtime
