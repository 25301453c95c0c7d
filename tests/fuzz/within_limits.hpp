// Every input ends in bounded time and memory.
#pragma once

#include <sys/resource.h>
#include <ctime>

#include "tests/fuzz/target.hpp"

namespace tessera::fuzz {

// GCC and Clang say each in its own way that a sanitizer is there, which takes memory and time of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#else
inline constexpr bool kIsSanitized = false;
#endif
inline constexpr double kSlowerSanitized = 8;

// Of this thread: other work on the machine does not make it longer.
inline double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// While an object lives, an input is worked on, which may take so long.
class WithinLimits {
 public:
  explicit WithinLimits(double seconds)
      : end_(thread_seconds() + seconds * (kIsSanitized ? kSlowerSanitized : 1)), kibibytes_before_(most_kibibytes()) {}
  WithinLimits(const WithinLimits&) = delete;
  WithinLimits& operator=(const WithinLimits&) = delete;
  ~WithinLimits() {
    expect(thread_seconds() < end_, "the input takes too long");
    constexpr long kKibibytesMax = 900L << 10U;
    // What came before, without limits, may have taken more.
    const long most = most_kibibytes();
    expect(kIsSanitized || most < kKibibytesMax || most == kibibytes_before_, "the input takes too much memory");
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
