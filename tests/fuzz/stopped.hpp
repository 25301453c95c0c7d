// A flag that is set after half a second: what looks at it ends soon after, whatever the input asks for.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace tessera::fuzz {

class Stopped {
 public:
  // `then` is called after the flag is set, by another thread.
  explicit Stopped(std::function<void()> then = {}) : then_(std::move(then)), thread_([this] { wait(); }) {}
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;
  ~Stopped() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  const std::atomic<bool>& flag() const { return flag_; }

 private:
  static constexpr std::chrono::milliseconds kTime{500};

  void wait() {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, kTime, [this] { return done_; })) return;
    flag_ = true;
    if (then_) then_();
  }

  std::function<void()> then_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::atomic<bool> flag_ = false;
  std::thread thread_;
};

}  // namespace tessera::fuzz
