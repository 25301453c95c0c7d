// When devices began and ended their parts of a step.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/memory/device_ranks.hpp"

namespace tessera::runtime {

// When the devices of one block began and ended their parts of a step. Different devices may be noted on different
// threads at once.
class DeviceTimes {
 public:
  using Clock = double (*)();
  explicit DeviceTimes(const Block& block, Clock clock = trace_clock)
      : block_(block), clock_(clock), times_(static_cast<std::size_t>(block.size())) {}
  // Calls f for a device, and notes how long that takes; a device that does several things, from the first to the last.
  template <class F>
  auto measure(std::int64_t device, const F& f) {
    Time& time = times_[static_cast<std::size_t>(device - block_.begin)];
    if (!time.known) time.begin = clock_();
    auto result = f();
    time.end = clock_();
    time.known = true;
    return result;
  }
  struct Time {
    double begin = 0;
    double end = 0;
    bool known = false;
  };
  const Time& operator[](std::int64_t device) const { return times_[static_cast<std::size_t>(device - block_.begin)]; }

  // Seconds, by the clock of this machine that never goes back: all its processes have the same.
  static double trace_clock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  Block block_;
  Clock clock_;
  std::vector<Time> times_;
};

}  // namespace tessera::runtime
