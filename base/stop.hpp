// Giving up work that takes long. The caller may pass a token, which the work looks at every few milliseconds.
#pragma once

#include <atomic>
#include <type_traits>
#include <utility>

#include "base/result.hpp"

namespace tessera::base {

// Thrown where a stop was asked for; ends at the room's entrance, as the diagnostic `interrupted`.
struct Interrupted {};

class StopToken {
 public:
  // A token that never stops anything.
  StopToken() = default;
  // The flag, which another thread or a signal handler may set at any moment, outlives the work.
  explicit StopToken(const std::atomic<bool>* flag) : flag_(flag) {}
  // Is there a flag at all?
  bool may_stop() const { return flag_ != nullptr; }
  bool asked() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }
  void look() const {
    if (asked()) throw Interrupted();
  }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

// `guarded` for work that looks at a token.
template <class F>
auto guarded_until_stopped(F&& f) -> std::invoke_result_t<F> {
  try {
    return guarded(std::forward<F>(f));
  } catch (const Interrupted&) {
    return make(Kind::interrupted);
  }
}

}  // namespace tessera::base
