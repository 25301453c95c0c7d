// The process's outputs: standard output and standard error. What is written is seen at once, on a pipe too: what comes
// after it may take long, or never end.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// Until the descriptor takes more: who shares it may want it not to block.
void wait_for_room(int descriptor);

// One file descriptor. A reader that went away is no failure: what follows is dropped. Any other failure is kept, and
// what follows it is dropped too.
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

// Several processes may do the same work; only one of them writes. Its deputy says no more than that the first is gone,
// which nobody else would.
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
  // The same of the command line; gives the exit status for that.
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
