// How to wait for another process: first by looking again and again, then by letting others run, in the end by
// sleeping, and longer if the wait is long, as between the inputs of a session.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace tessera::runtime {

class Backoff {
 public:
  // `crowded`: there are more processes than processors, so that looking again takes time from the process that is
  // waited for.
  explicit Backoff(bool crowded) : looks_(crowded ? kYields - kYieldsCrowded : 0) {}

  void pause() {
    ++looks_;
    if (looks_ <= kLooks) return;
    if (looks_ <= kYields)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(looks_ <= kShortSleeps ? 20 : 500));
  }
  // From time to time, once it sleeps: about every twentieth of a second, later every third.
  bool is_long() const { return looks_ > kYields && looks_ % kLongSleeps == 0; }

 private:
  static constexpr int kLooks = 200;
  static constexpr int kYields = 500;
  static constexpr int kYieldsCrowded = 50;
  static constexpr int kLongSleeps = 512;
  static constexpr int kShortSleeps = 20'000;  // for about two seconds
  std::int64_t looks_ = 0;
};

}  // namespace tessera::runtime
