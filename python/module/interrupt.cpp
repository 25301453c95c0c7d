#include "python/module/interrupt.hpp"

#include <nanobind/nanobind.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace tessera::python {

void stop_all(int signal);

namespace {

std::atomic<Interruptible*> innermost = nullptr;
std::atomic<int> handling = 0;  // handlers that may look at what `innermost` pointed to
struct sigaction before{};      // the host's handler, while there is ours

bool calls_a_function(const struct sigaction& action) {
  if ((action.sa_flags & SA_SIGINFO) != 0) return true;
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  stop_all(signal);
  if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction(signal, info, context);
  else
    before.sa_handler(signal);
}

}  // namespace

// Another thread may take the signal while the main thread ends its work, which therefore waits for `handling`.
void stop_all(int /*signal*/) {
  ++handling;
  for (Interruptible* work = innermost.load(); work != nullptr; work = work->outer_) {
    if (work->session_ != nullptr) work->session_->stop();
    if (work->token_ != nullptr) work->token_->stop();
  }
  --handling;
}

bool Interruptible::is_main_thread() { return getpid() == gettid(); }

Interruptible::Interruptible(Session* session, StopToken* token) : session_(session), token_(token) {
  if (!is_main_thread()) return;
  outer_ = innermost.load();
  if (outer_ == nullptr) {
    if (sigaction(SIGINT, nullptr, &before) != 0 || !calls_a_function(before)) return;
    struct sigaction ours{};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | (before.sa_flags & (SA_RESTART | SA_ONSTACK));
    ours.sa_mask = before.sa_mask;
    is_linked_ = true;
    innermost.store(this);
    sigaction(SIGINT, &ours, nullptr);
    return;
  }
  is_linked_ = true;
  innermost.store(this);
}

Interruptible::~Interruptible() {
  if (!is_linked_) return;
  if (outer_ == nullptr) {
    struct sigaction now{};
    // A callback may have set a handler: it stays.
    if (sigaction(SIGINT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal)
      sigaction(SIGINT, &before, nullptr);
  }
  innermost.store(outer_);
  while (handling.load() != 0) std::this_thread::yield();
}

void raise_if_interrupted(const Diagnostics& why) {
  const bool was_stopped =
      std::any_of(why.begin(), why.end(), [](const Diagnostic& each) { return each.slug == "interrupted"; });
  if (was_stopped && PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

}  // namespace tessera::python
