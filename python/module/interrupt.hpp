// Ctrl-C while the library works on Python's main thread.
//
// Python's own handler only notes the signal, and looks at it when the call returns: after hours, perhaps. So long as
// an Interruptible lives, a handler of ours stops the work first and then calls the one that was there, so that a
// handler of the host's keeps its meaning. On other threads, and where the host has no handler, it does nothing.
#pragma once

#include "tessera/tessera.hpp"

namespace tessera::python {

class Interruptible {
 public:
  // What a signal stops: a session's work, a token, or both. Both outlive this.
  explicit Interruptible(Session* session, StopToken* token = nullptr);
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible();

  // Is this the thread whose work signals stop?
  static bool is_main_thread();

 private:
  friend void stop_all(int signal);
  Session* session_;
  StopToken* token_;
  Interruptible* outer_ = nullptr;  // a callback of the outer one's work runs this one
  bool is_linked_ = false;
};

// With the interpreter's lock, after work that failed: raises what the host's handler of the signal raises,
// KeyboardInterrupt unless it has its own.
void raise_if_interrupted(const Diagnostics& why);

}  // namespace tessera::python
