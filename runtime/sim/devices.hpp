// Work on all devices of this rank at once, and what failed on the lowest of them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/ranks/deal.hpp"

namespace tessera::runtime {

using Failure = std::optional<base::Diagnostic>;

// Calls f(device), which gives a Failure, for every device of the block. Where the work is small (in elements, over all
// devices) on one thread.
template <class F>
base::Status on_devices(const Block& block, std::int64_t work, const F& f) {
  std::vector<Failure> failures(static_cast<std::size_t>(block.size()));
  const std::int64_t grain = work <= kGrain ? block.size() : 1;
  parallel_ranges(block.size(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      failures[static_cast<std::size_t>(i)] = f(static_cast<std::size_t>(block.begin + i));
  });
  for (Failure& failure : failures) {
    if (failure) return std::move(*failure);
  }
  return base::Done{};
}

}  // namespace tessera::runtime
