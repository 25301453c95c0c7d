// Wall-clock times of things done several times over.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace tessera::bench {

template <class F>
double seconds_of(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What is compared is measured in turns, so that a slow spell of the machine meets all of it: the best of `goes` each,
// after one that does not count. `seconds(i)` measures contestant i.
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
