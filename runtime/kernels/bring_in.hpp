// Memory that is about to be computed with, brought into the innermost cache first, a line after the other. A loop
// whose steps wait for each other asks for too few lines at a time, and one that reads several places at once asks for
// them in an order that the processor does not foresee; these reads wait for nothing. Sums of rows then read as fast as
// memory gives, where they had three quarters of that with prefetch instructions, and half of it without.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/loops.hpp"

namespace tessera::runtime {

// So much is brought in at once: it is still in the cache when it is read.
inline constexpr std::int64_t kBringInBytes = 8'192;

// n elements side by side, kBringInBytes at most.
template <class T>
TESSERA_INLINE void bring_in(const T* first, std::int64_t n) {
  constexpr std::size_t kLine = 64;
  const auto* const bytes = reinterpret_cast<const volatile std::byte*>(first);
  for (std::size_t at = 0; at < static_cast<std::size_t>(n) * sizeof(T); at += kLine) static_cast<void>(bytes[at]);
}

}  // namespace tessera::runtime
