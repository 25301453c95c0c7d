// Ctrl-C.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <thread>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// While an object lives, the first Ctrl-C stops what the session runs; the next one ends the process as if nobody
// caught it, but for a conversation (InterruptibleReading), which goes on. There, one that came since the line was read
// stops what begins now. One at a time.
class StoppableRun {
 public:
  explicit StoppableRun(Session& session);
  StoppableRun(const StoppableRun&) = delete;
  StoppableRun& operator=(const StoppableRun&) = delete;
  ~StoppableRun();

 private:
  struct sigaction before_;
  std::jthread insistent_;
};

// Session::run, which Ctrl-C stops as above.
Result<RunReport> run_stoppable(Session& session, std::string_view text, std::string_view name,
                                std::uint32_t first_line = 1);

// Stops what a StoppableRun lives for, from any thread; again, if asked again. False: there is none, or it was stopped
// before.
bool stop_what_runs();

// While an object lives, Ctrl-C ends nothing: it makes a descriptor readable, which LineReader watches. So does the end
// of a process that this one has started.
class InterruptibleReading {
 public:
  InterruptibleReading();
  InterruptibleReading(const InterruptibleReading&) = delete;
  InterruptibleReading& operator=(const InterruptibleReading&) = delete;
  ~InterruptibleReading();

  int descriptor() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_ = {-1, -1};  // of a pipe: signals that come at any moment are kept in it
  struct sigaction before_;
  struct sigaction child_before_;
};

// A reader that goes away is seen by the write that fails, not by a signal.
void ignore_broken_pipes();
// A terminal that goes away ends the process, unless whoever started it wants otherwise (nohup). A library that MPICH
// brings along (UCX) waits for a debugger instead.
void end_with_the_terminal();

}  // namespace tessera::repl
