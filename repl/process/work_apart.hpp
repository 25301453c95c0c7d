// Work in a process of its own, for a limited time.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace tessera::repl {

struct EndOfWork {
  enum class How { finished, too_slow, killed };
  How how = How::finished;
  int signal = 0;  // that has killed it
};

// Does the work in a copy of this process, which is killed when the time is over and ends when this one does. Must be
// called before any thread is started. The text that the work returns goes into `result`; nothing else of the copy
// remains.
EndOfWork work_apart(std::chrono::milliseconds time, const std::function<std::string()>& work, std::string& result);

}  // namespace tessera::repl
