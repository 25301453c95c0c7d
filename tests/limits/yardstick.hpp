// The speed of this machine at the moment. Limits are written in seconds of the machine on which they were measured
// when idle. Other machines are slower, and so is that one when others use its caches and cores. A fixed piece of work,
// measured in the same minute, says how much slower.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <map>
#include <vector>

namespace tessera::limits {

inline double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The time of this thread alone, and of all threads of this process: others' work on the same cores is not counted.
inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
inline double process_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

// Work of the kind that planning and calls do: small allocations, ordered maps, arithmetic on integers of 64 bits.
inline std::uint64_t fixed_work() {
  std::map<std::uint64_t, std::vector<std::uint64_t>> all;
  std::uint64_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::vector<std::uint64_t>& of = all[state >> 54U];
    of.push_back(state % (of.size() + 3));
  }
  std::uint64_t sum = 0;
  for (const auto& [key, values] : all) {
    for (const std::uint64_t value : values) sum += key * value;
  }
  return sum;
}

// One where the machine is as fast as that one, or faster; two where it takes twice as long. The best of several tries:
// the first ones find cold caches.
inline double slowness() {
  constexpr double kSeconds = 110e-6;
  double best = 1e9;
  volatile std::uint64_t kept = 0;  // so that the work is done
  for (int go = 0; go < 20; ++go) {
    const double begin = thread_seconds();
    kept = fixed_work();
    best = std::min(best, thread_seconds() - begin);
  }
  static_cast<void>(kept);
  return std::max(1.0, best / kSeconds);
}

}  // namespace tessera::limits
