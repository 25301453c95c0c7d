#include "runtime/kernels/parallel.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>

#ifdef TESSERA_TELL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace tessera::runtime {

namespace {

// oneTBB is not built with ThreadSanitizer, which therefore sees neither that work is handed to other threads nor that
// its end is waited for. This tells it: what was written before a TaskFence is made is seen by every piece, and what
// the pieces wrote after join(). Two marks and not one, so that pieces do not see each other: a race between two of
// them is reported. In other builds there is nothing of this. This file itself is never watched (CMakeLists.txt),
// because oneTBB's templates for handing tasks over are part of it.
class TaskFence {
 public:
#ifdef TESSERA_TELL_THREAD_SANITIZER
  TaskFence() { __tsan_release(&given_); }
  void begin_piece() { __tsan_acquire(&given_); }
  void end_piece() { __tsan_release(&done_); }
  void join() { __tsan_acquire(&done_); }

 private:
  // Only their addresses are of use.
  char given_ = 0;
  char done_ = 0;
#else
  void begin_piece() {}
  void end_piece() {}
  void join() {}
#endif
};

}  // namespace

void cut_over_cores(std::int64_t count, std::int64_t grain, RangeWork work) {
  using Range = tbb::blocked_range<std::int64_t>;
  TaskFence handover;
  std::atomic<bool> is_of_work = false;
  const auto piece = [&](const Range& r) {
    handover.begin_piece();
    try {
      for (std::int64_t begin = r.begin(); begin < r.end() && !tbb::is_current_task_group_canceling(); begin += grain) {
        work.call(work.f, begin, std::min(begin + grain, r.end()));
      }
    } catch (...) {
      is_of_work = true;
      throw;
    }
    handover.end_piece();
  };
  try {
    tbb::parallel_for(Range(0, count, static_cast<std::size_t>(grain)), piece);
  } catch (const std::runtime_error&) {
    // oneTBB throws one where it cannot start a thread: there is no room for its stack.
    if (is_of_work) throw;
    throw std::bad_alloc();
  }
  handover.join();
}

}  // namespace tessera::runtime
