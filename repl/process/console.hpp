// The process's outputs: standard output and standard error. Text is flushed as it is written, on a pipe, too: the work
// that follows may take long, or never end.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// Waits until the descriptor takes more bytes. Another process that shares it may have made it non-blocking.
void wait_for_room(int descriptor);

// One file descriptor. A reader that went away is no failure: later text is dropped. Any other failure is kept, and
// later text is dropped, too.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}

  void write(std::string_view text);
  // The errno of the first write that failed.
  std::optional<int> failure() const { return failure_; }

 private:
  int descriptor_;
  bool dropping_ = false;
  std::optional<int> failure_;
};

// Several processes may do the same work, and only one of them writes. A second one, its deputy, reports one thing
// only: that the first is gone.
enum class ConsoleOutput { heard, mute, deputy };

class Console {
 public:
  explicit Console(ConsoleOutput voice = ConsoleOutput::heard);

  void out(std::string_view text);
  void err(std::string_view text);
  // Rendered, to standard error.
  void report(const Diagnostic& diagnostic);
  void report(const Diagnostics& diagnostics);
  // `error: MESSAGE`, for what has no diagnostic: the command line and the script itself.
  void complain(std::string_view message);
  // The same for a mistake in the command line; returns its exit status.
  int refuse(std::string_view message);
  // The status with which the process ends: `status`, or 3 if all went well but standard output could not be written.
  int finish(int status);

 private:
  ConsoleOutput voice_;
  Output out_;
  Output err_;
  bool colour_;
};

// The exit status that the diagnostics of a failure ask for.
int exit_status(const Diagnostics& diagnostics);

}  // namespace tessera::repl
