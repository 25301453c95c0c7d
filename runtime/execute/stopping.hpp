// Giving up a run amid a step.
#pragma once

#include <atomic>
#include <functional>

#include "base/result.hpp"

namespace tessera::runtime {

inline bool stop_asked(const std::atomic<bool>* stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// Begins to look at the flag from time to time, on a thread of its own. Starting that costs more than a small step, so
// only long work calls this first; further calls do nothing.
using BeginWatch = std::function<void()>;

// Calls f on this thread. Another thread may set `stop` at any moment; if f has begun the watch, its work in
// parallel_ranges then ends within hundredths of a second, and the results of that work are undefined.
base::Status run_stoppable(const std::atomic<bool>* stop, const std::function<base::Status(const BeginWatch&)>& f);

// For use inside f: work that is not given up, because output must reach the world as a whole or not at all.
base::Status run_to_the_end(const std::function<base::Status()>& f);

}  // namespace tessera::runtime
