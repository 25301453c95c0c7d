// Work on all devices of this rank at once, and what failed on the lowest of them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/engine/device_times.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/memory/device_ranks.hpp"

namespace tessera::runtime {

using Failure = std::optional<base::Diagnostic>;

// Calls f(device), which gives a Failure, for every device of the block. Where the work is small (in elements, over all
// devices) on one thread. `times` is where to note this block's times; null if no trace wants them.
template <class F>
base::Status on_devices(const Block& block, std::int64_t work, DeviceTimes* times, const F& f) {
  std::vector<Failure> failures(static_cast<std::size_t>(block.size()));
  const std::int64_t grain = work <= kGrain ? block.size() : 1;
  parallel_ranges(block.size(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t device = block.begin + i;
      const auto work_of_device = [&] { return f(static_cast<std::size_t>(device)); };
      failures[static_cast<std::size_t>(i)] =
          times == nullptr ? work_of_device() : times->measure(device, work_of_device);
    }
  });
  for (Failure& failure : failures) {
    if (failure) return std::move(*failure);
  }
  return base::Done{};
}

}  // namespace tessera::runtime
