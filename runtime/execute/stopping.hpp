// Giving up a run amid a step.
#pragma once

#include <atomic>
#include <functional>

#include "base/result.hpp"

namespace tessera::runtime {

inline bool stop_asked(const std::atomic<bool>* stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// Begins to look at the flag from time to time. That takes a thread of its own, which costs more than a small step:
// work that takes longer begins with this. Once is enough.
using BeginWatch = std::function<void()>;

// Calls f on this thread. Once `stop`, which somebody else may set at any moment, is true and f has begun the watch,
// what f does with parallel_ranges is given up within hundredths of a second: what it was to write is then nonsense.
base::Status run_stoppable(const std::atomic<bool>* stop, const std::function<base::Status(const BeginWatch&)>& f);

// Inside of that: calls f, whose parallel work is not given up. What reaches the world is whole or not there.
base::Status run_to_the_end(const std::function<base::Status()>& f);

}  // namespace tessera::runtime
