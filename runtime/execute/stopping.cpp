#include "runtime/execute/stopping.hpp"

#include <oneapi/tbb/task_group.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace tessera::runtime {

namespace {

constexpr auto kLooksEvery = std::chrono::milliseconds(20);

// Looks at `stop` from time to time, on a thread of its own (whoever sets it may be a signal handler, which can wake
// nobody), and cancels the work when it is set.
class Watcher {
 public:
  Watcher(const std::atomic<bool>& stop, tbb::task_group_context& work)
      : stop_(stop), work_(work), thread_([this] { watch(); }) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kLooksEvery, [this] { return done_; })) {
      if (stop_asked(&stop_)) work_.cancel_group_execution();
    }
  }

  const std::atomic<bool>& stop_;
  tbb::task_group_context& work_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace

base::Status run_stoppable(const std::atomic<bool>* stop, const std::function<base::Status(const BeginWatch&)>& f) {
  if (stop == nullptr) return f([] {});
  tbb::task_group_context work;
  std::optional<Watcher> watcher;
  const BeginWatch watch = [&] {
    if (!watcher) watcher.emplace(*stop, work);
  };
  tbb::task_group group(work);
  std::optional<base::Status> status;  // none: given up before f began
  group.run_and_wait([&] { status = f(watch); });
  return status ? std::move(*status) : base::Status(base::make(base::Kind::interrupted));
}

base::Status run_to_the_end(const std::function<base::Status()>& f) {
  tbb::task_group_context apart(tbb::task_group_context::isolated);
  tbb::task_group group(apart);
  base::Status status = base::Done{};
  group.run_and_wait([&] { status = f(); });
  return status;
}

}  // namespace tessera::runtime
