// Lets messages go on while this rank computes.
#pragma once

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

// A thread that looks at the messages again and again, as long as this lives. Where MPI serves one thread only, or no
// further thread can be started, messages go on between steps.
class MessagesBeside {
 public:
  explicit MessagesBeside(Team& team) {
    try {
      thread_ = std::thread([this, &team] { look(team); });
    } catch (const std::system_error&) {
      is_over_.store(true, std::memory_order_relaxed);
    }
  }
  MessagesBeside(const MessagesBeside&) = delete;
  MessagesBeside& operator=(const MessagesBeside&) = delete;
  ~MessagesBeside() {
    is_over_.store(true, std::memory_order_relaxed);
    if (thread_.joinable()) thread_.join();
  }

 private:
  void look(Team& team) {
    constexpr auto kPause = std::chrono::microseconds(100);
    while (!is_over_.load(std::memory_order_relaxed) && team.go_on_beside()) std::this_thread::sleep_for(kPause);
  }

  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace tessera::runtime
