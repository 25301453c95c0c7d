// Stop tokens: one flag of their own, and those of the sessions and calls that have them.
#pragma once

#include <atomic>
#include <optional>

#include "base/stop.hpp"
#include "tessera/tessera.hpp"

namespace tessera {

// A signal handler may ask a token to stop at any moment, on any thread, so nothing here is locked: links are nodes of
// a list that only grows, a free node points to no flag, and whoever takes a flag away waits for the handlers that may
// have seen it. A handler never waits.
struct StopToken::Impl {
  struct Node {
    std::atomic<std::atomic<bool>*> flag = nullptr;
    Node* next = nullptr;
  };
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  // Sets its own flag and all that are linked. Safe in a signal handler.
  void stop();
  // From now on a stop sets the flag, too, until the node is unlinked.
  Node* link(std::atomic<bool>& flag);
  void unlink(Node* node);

  std::atomic<bool> asked = false;

 private:
  std::atomic<Node*> first_ = nullptr;
  std::atomic<int> stopping_ = 0;  // calls of stop() under way
};

namespace embed {

// Ties the flag of a session or a call to a token, if there is one.
class StopLink {
 public:
  StopLink(const std::optional<StopToken>& token, std::atomic<bool>& flag)
      : token_(token), flag_(flag), node_(token_ ? token_->impl()->link(flag_) : nullptr) {}
  StopLink(const StopLink&) = delete;
  StopLink& operator=(const StopLink&) = delete;
  ~StopLink() {
    if (token_) token_->impl()->unlink(node_);
  }
  // Sets the flag again after it was cleared: a stop that was asked for is never forgotten.
  void renew() {
    if (token_ && token_->asked()) flag_.store(true);
  }

 private:
  std::optional<StopToken> token_;
  std::atomic<bool>& flag_;
  StopToken::Impl::Node* node_;
};

// The token that work looks at, for a token of the host's or none.
inline base::StopToken token_of(const std::optional<StopToken>& stop) {
  return stop ? base::StopToken(&stop->impl()->asked) : base::StopToken();
}

}  // namespace embed
}  // namespace tessera
