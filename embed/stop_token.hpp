// Stop tokens: one flag of their own, and those of the sessions that have them.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <set>

#include "base/stop.hpp"
#include "tessera/tessera.hpp"

namespace tessera {

struct StopToken::Impl {
  std::atomic<bool> asked = false;
  std::mutex mutex;                         // of flags
  std::multiset<std::atomic<bool>*> flags;  // of sessions
};

namespace embed {

// Ties a session's flag to the token in its configuration, if there is one.
class StopLink {
 public:
  StopLink(const std::optional<StopToken>& token, std::atomic<bool>& flag) : token_(token), flag_(flag) {
    if (!token_) return;
    const std::scoped_lock lock(token_->impl()->mutex);
    token_->impl()->flags.insert(&flag_);
  }
  StopLink(const StopLink&) = delete;
  StopLink& operator=(const StopLink&) = delete;
  ~StopLink() {
    if (!token_) return;
    const std::scoped_lock lock(token_->impl()->mutex);
    token_->impl()->flags.erase(token_->impl()->flags.find(&flag_));
  }
  // Sets the flag again after it was cleared: a stop that was asked for is never forgotten.
  void renew() {
    if (token_ && token_->asked()) flag_.store(true);
  }

 private:
  std::optional<StopToken> token_;
  std::atomic<bool>& flag_;
};

// The token that work looks at, for a token of the host's or none.
inline base::StopToken token_of(const std::optional<StopToken>& stop) {
  return stop ? base::StopToken(&stop->impl()->asked) : base::StopToken();
}

}  // namespace embed
}  // namespace tessera
