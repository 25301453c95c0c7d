// Work on all devices at once, and what failed on the lowest of them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

using Failure = std::optional<base::Diagnostic>;

// Calls f(device), which gives a Failure, for every device. Where the work is small (in elements, over all devices) on
// one thread.
template <class F>
base::Status on_devices(std::int64_t devices, std::int64_t work, const F& f) {
  std::vector<Failure> failures(static_cast<std::size_t>(devices));
  const std::int64_t grain = work <= kGrain ? devices : 1;
  parallel_ranges(devices, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t d = begin; d < end; ++d) failures[static_cast<std::size_t>(d)] = f(static_cast<std::size_t>(d));
  });
  for (Failure& failure : failures) {
    if (failure) return std::move(*failure);
  }
  return base::Done{};
}

}  // namespace tessera::runtime
