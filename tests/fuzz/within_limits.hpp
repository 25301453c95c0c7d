// Every input ends in bounded time and memory.
#pragma once

#include <sys/resource.h>
#include <ctime>

#include "tests/fuzz/target.hpp"

namespace tessera::fuzz {

// Of this thread: other work on the machine does not make it longer.
inline double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// While an object lives, an input is worked on, which may take so long.
class WithinLimits {
 public:
  explicit WithinLimits(double seconds) : end_(thread_seconds() + seconds), kibibytes_before_(most_kibibytes()) {}
  WithinLimits(const WithinLimits&) = delete;
  WithinLimits& operator=(const WithinLimits&) = delete;
  ~WithinLimits() {
    expect(thread_seconds() < end_, "the input takes too long");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    constexpr long kKibibytesMax = 900L << 10U;
    // What came before, without limits, may have taken more.
    const long most = most_kibibytes();
    expect(most < kKibibytesMax || most == kibibytes_before_, "the input takes too much memory");
#endif
  }

 private:
  static long most_kibibytes() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
  }

  double end_;
  long kibibytes_before_;
};

}  // namespace tessera::fuzz
