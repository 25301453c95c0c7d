// Brings memory into the innermost cache, line after line, before a loop computes with it. A loop whose steps wait for
// each other asks for too few lines at a time, and one that reads several places at once asks for them in an order that
// the processor does not foresee; these reads wait for nothing. With them sums of rows read at the full speed of the
// memory; prefetch instructions reach three quarters of that, plain loops half.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/elements/loops.hpp"

namespace tessera::runtime {

// The bytes that are brought in at once: few enough to be still in the cache when they are read.
inline constexpr std::int64_t kBringInBytes = 8'192;

// n elements side by side, kBringInBytes at most.
template <class T>
TESSERA_INLINE void bring_in(const T* first, std::int64_t n) {
  constexpr std::size_t kLine = 64;
  const auto* const bytes = reinterpret_cast<const volatile std::byte*>(first);
  for (std::size_t at = 0; at < static_cast<std::size_t>(n) * sizeof(T); at += kLine) static_cast<void>(bytes[at]);
}

}  // namespace tessera::runtime
