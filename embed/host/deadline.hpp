// The end of the time that a host allows for a call.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>

#include "tessera/tessera.hpp"

namespace tessera::runtime {
class Team;
}

namespace tessera::embed {

// Sets a flag when the seconds are over, as stop() does. A thread of its own waits for that; without a limit there is
// none.
class Deadline {
 public:
  Deadline(double seconds_max, std::atomic<bool>& flag);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline();

  bool is_over() const { return over_.load(); }
  // The diagnostics of work that was interrupted, with `over-time` if its time was over. Either all ranks have a limit
  // or none has; they agree that the time is over if it is over on one of them.
  Diagnostics reason(Diagnostics interrupted, runtime::Team* team) const;
  // Of work that has come to its end: did it take longer than it may, on any rank? A short piece of work may never have
  // looked at the flag.
  bool is_late(runtime::Team* team) const;
  Diagnostics late() const;

 private:
  void wait();
  bool on_any_rank(bool mine, runtime::Team* team) const;

  double seconds_max_;
  std::chrono::steady_clock::time_point end_;
  std::atomic<bool>& flag_;
  std::atomic<bool> over_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

// The work, a Result, within its time.
template <class F>
auto in_time(const Deadline& deadline, runtime::Team* team, const F& work) -> std::invoke_result_t<F> {
  auto result = work();
  if (!result) return deadline.reason(result.diagnostics(), team);
  if (deadline.is_late(team)) return deadline.late();
  return result;
}

}  // namespace tessera::embed
