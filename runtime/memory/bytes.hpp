// Sums of sizes that may not fit: they stop at the largest number instead, which no memory has.
#pragma once

#include <unistd.h>

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

// The next multiple of the page's size; the largest there is for what has none.
inline std::int64_t in_pages(std::int64_t bytes) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return bytes > kBytesMax - page ? kBytesMax / page * page : (bytes + page - 1) / page * page;
}

}  // namespace tessera::runtime
