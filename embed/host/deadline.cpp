#include "embed/host/deadline.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::embed {

namespace {

// Longer than any program runs, and no more than a clock can count.
constexpr double kSecondsMax = 1e9;

// The host's signals are not for this thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

bool is_interruption(const Diagnostics& why) {
  return std::any_of(why.begin(), why.end(), [](const Diagnostic& each) { return each.slug == "interrupted"; });
}

}  // namespace

Deadline::Deadline(double seconds_max, std::atomic<bool>& flag) : seconds_max_(seconds_max), flag_(flag) {
  if (!(seconds_max_ > 0)) return;
  const auto allowed = std::chrono::duration<double>(std::min(seconds_max_, kSecondsMax));
  end_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(allowed);
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { wait(); });
}

Deadline::~Deadline() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Deadline::wait() {
  std::unique_lock lock(mutex_);
  if (wake_.wait_until(lock, end_, [this] { return done_; })) return;
  over_.store(true);
  flag_.store(true);
}

bool Deadline::on_any_rank(bool mine, runtime::Team* team) const {
  if (team == nullptr) return mine;
  const base::Status late = base::make(Kind::over_time, seconds_max_);
  return !team->agree(mine ? late : base::Status(base::Done{}), {0, 0}).ok();
}

bool Deadline::is_late(runtime::Team* team) const {
  return seconds_max_ > 0 && on_any_rank(std::chrono::steady_clock::now() >= end_, team);
}

Diagnostics Deadline::late() const { return failure(base::make(Kind::over_time, seconds_max_)); }

Diagnostics Deadline::reason(Diagnostics interrupted, runtime::Team* team) const {
  if (!(seconds_max_ > 0) || !is_interruption(interrupted)) return interrupted;
  if (!on_any_rank(is_over(), team)) return interrupted;
  Diagnostics why = late();
  why.front().labels = std::move(interrupted.front().labels);
  return why;
}

}  // namespace tessera::embed
