// How to wait for another process: at first by looking again and again, then by letting others run, in the end by
// sleeping.
#pragma once

#include <chrono>
#include <thread>

namespace tessera::runtime {

class Patience {
 public:
  // `crowded`: there are more processes than processors, so that who looks again takes the time of who is waited for.
  explicit Patience(bool crowded) : looks_(crowded ? kYields - kYieldsCrowded : 0) {}

  void pause() {
    ++looks_;
    if (looks_ <= kLooks) return;
    if (looks_ <= kYields)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  // From time to time, once it sleeps: about every twentieth of a second.
  bool is_long() const { return looks_ > kYields && looks_ % kLongSleeps == 0; }

 private:
  static constexpr int kLooks = 200;
  static constexpr int kYields = 500;
  static constexpr int kYieldsCrowded = 50;
  static constexpr int kLongSleeps = 512;
  int looks_ = 0;
};

}  // namespace tessera::runtime
