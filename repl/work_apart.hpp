// Work in a process of its own, for a limited time.
#pragma once

#include <chrono>
#include <functional>

namespace tessera::repl {

struct EndOfWork {
  enum class How { finished, too_slow, killed };
  How how = How::finished;
  int status = 0;  // what the work gave; the signal, where one has killed it
};

// Does the work in a copy of this process, which is killed when the time is over and ends when this one does. To be
// called before any thread is started. The work's outputs are this process's; nothing else of it is left.
EndOfWork work_apart(std::chrono::milliseconds time, const std::function<int()>& work);

}  // namespace tessera::repl
