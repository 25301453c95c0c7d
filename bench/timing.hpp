// Times of things done several times over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <vector>

namespace tessera::bench {

// The wall's, or what all threads of the process took of the processor: that is hardly more while others want it too.
enum class Clock : std::uint8_t { wall, cpu };

inline double seconds_on(Clock clock) {
  timespec now{};
  clock_gettime(clock == Clock::wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class F>
double seconds_of(const F& f, Clock clock = Clock::wall) {
  const double begin = seconds_on(clock);
  f();
  return seconds_on(clock) - begin;
}

// Measures contestants in turns, so that a slow spell of the machine meets all of them: the best of `goes` each, after
// one that does not count. `seconds(i)` measures contestant i.
template <class F>
std::vector<double> best_in_turns(std::size_t contestants, int goes, const F& seconds) {
  std::vector<double> best(contestants, std::numeric_limits<double>::infinity());
  for (int go = 0; go <= goes; ++go) {
    for (std::size_t i = 0; i < contestants; ++i) {
      const double took = seconds(i);
      if (go > 0) best[i] = std::min(best[i], took);
    }
  }
  return best;
}

}  // namespace tessera::bench
