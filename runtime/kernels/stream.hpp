// Copies past the cache, for arrays that outgrow it: the target is not read first, and nothing is evicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera::runtime {

// A step that writes more than this leaves little of it in any cache.
inline constexpr std::int64_t kStreamBytes = std::int64_t{24} << 20U;

// How results reach the memory. `past_caches` is for steps that write more than any cache holds: the results would not
// stay in a cache anyway, and the memory need not be read before it is written.
enum class Writing : std::uint8_t { through_caches, past_caches };
// For a step that writes so many bytes.
constexpr Writing writing_of(std::int64_t bytes) {
  return bytes > kStreamBytes ? Writing::past_caches : Writing::through_caches;
}

// As memcpy.
inline void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__SSE2__)
  constexpr std::size_t kLine = 64;
  const std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
  if (bytes < head + 4 * kLine) {
    std::memcpy(to, from, bytes);
    return;
  }
  if (head > 0) std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    const auto* source = reinterpret_cast<const __m128i*>(from + at);
    auto* target = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    const __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  if (at < bytes) std::memcpy(to + at, from + at, bytes - at);
#else
  std::memcpy(to, from, bytes);
#endif
}

// Called after the last stream_copy of a task: its writes are then seen by all threads that learn that the task has
// ended.
inline void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace tessera::runtime
