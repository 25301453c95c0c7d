// Bounds that the machine sets: the same work by hand, without anything else around it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::bench {

// A loop over all cores that reads each of some arrays once, all at the same time, and writes one past the caches.
// Sizes in bytes; `written` may be 0.
std::function<void()> stream_loop(const std::vector<std::int64_t>& read, std::int64_t written);

// A serial call of BLAS for each core, on equal blocks of rows of an n by n product, all at once.
template <class T>
std::function<void()> product_by_hand(std::int64_t n);

}  // namespace tessera::bench
