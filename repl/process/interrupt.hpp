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
// caught it. A conversation (InterruptibleReading) goes on instead, and a Ctrl-C that came since its line was read
// stops what begins now. Only one such object may live at a time.
class StoppableRun {
 public:
  explicit StoppableRun(Session& session);
  explicit StoppableRun(StopToken& token);  // of a call that takes one
  StoppableRun(const StoppableRun&) = delete;
  StoppableRun& operator=(const StoppableRun&) = delete;
  ~StoppableRun();

 private:
  void begin();

  struct sigaction before_;
  std::jthread insistent_;
};

// Session::run, which Ctrl-C stops as above.
Result<RunReport> run_stoppable(Session& session, std::string_view text, std::string_view name,
                                std::uint32_t first_line = 1);

// Stops the work of the living StoppableRun, from any thread, and again if asked again. Returns false if there is none,
// or if it was stopped before.
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

// A reader that goes away, and a file that has reached the limit of its size, are seen by the write that fails, not by
// a signal.
void let_writes_fail();
// A terminal that goes away ends the process, unless its parent has asked otherwise (nohup). Without this a library
// that MPICH brings along (UCX) would wait for a debugger instead.
void end_with_the_terminal();

}  // namespace tessera::repl
