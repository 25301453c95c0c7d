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
  const auto take = [&](std::int64_t device) -> Failure {
    const auto work_of_device = [&] { return f(static_cast<std::size_t>(device)); };
    return times == nullptr ? work_of_device() : times->measure(device, work_of_device);
  };
  if (work <= kGrain || block.size() == 1) {
    Failure first;
    for (std::int64_t device = block.begin; device < block.end; ++device) {
      Failure failure = take(device);
      if (failure && !first) first = std::move(failure);
    }
    return first ? base::Status(std::move(*first)) : base::Status(base::Done{});
  }
  std::vector<Failure> failures(static_cast<std::size_t>(block.size()));
  parallel_each(block.size(), [&](std::int64_t i) { failures[static_cast<std::size_t>(i)] = take(block.begin + i); });
  for (Failure& failure : failures) {
    if (failure) return std::move(*failure);
  }
  return base::Done{};
}

}  // namespace tessera::runtime
