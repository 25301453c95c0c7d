#include "base/stop_scope.hpp"

namespace tessera::base {

namespace {

StopToken& token_of_thread() {
  thread_local StopToken token;
  return token;
}

}  // namespace

StopScope::StopScope(StopToken token) : outer_(token_of_thread()) {
  if (token.may_stop()) token_of_thread() = token;
}

StopScope::~StopScope() { token_of_thread() = outer_; }

void look_for_stop() { token_of_thread().look(); }

}  // namespace tessera::base
