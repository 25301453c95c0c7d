// The stop token of what a thread is doing, for work that lies too deep to be handed one: a bound, the price of a step,
// a replay. Whoever was handed the token opens a scope; below it, loops that may take long look at it every few
// milliseconds at least.
//
// Example: in a scope whose flag is set, `look_for_stop()` throws Interrupted; outside of all scopes it does nothing.
#pragma once

#include "base/stop.hpp"

namespace tessera::base {

class StopScope {
 public:
  // A token that never stops anything leaves that of the scope around in place.
  explicit StopScope(StopToken token);
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope();

 private:
  StopToken outer_;
};

void look_for_stop();

}  // namespace tessera::base
