#include "repl/process/console.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "repl/process/exit.hpp"
#include "repl/process/terminal.hpp"
#include "repl/render/diagnostic.hpp"

namespace tessera::repl {

namespace {

constexpr int kStandardOutput = 1;
constexpr int kStandardError = 2;

// The columns of the terminal that shows errors; 0 if there is none.
int columns_to_fit() { return is_terminal(kStandardError) ? terminal_columns() : 0; }

bool says_that_the_first_is_gone(const Diagnostic& diagnostic) {
  return diagnostic.slug == "peer-lost" && diagnostic.message == "rank 0 is gone";
}

}  // namespace

void wait_for_room(int descriptor) {
  struct pollfd wanted = {descriptor, POLLOUT, 0};
  ::poll(&wanted, 1, -1);
}

void Output::write(std::string_view text) {
  while (!text.empty() && !dropping_) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      wait_for_room(descriptor_);
    } else if (errno != EINTR) {
      dropping_ = true;
      if (errno != EPIPE) failure_ = errno;
    }
  }
}

Console::Console(ConsoleOutput voice)
    : voice_(voice), out_(kStandardOutput), err_(kStandardError), colour_(takes_colour(kStandardError)) {}

void Console::out(std::string_view text) {
  if (voice_ == ConsoleOutput::heard) out_.write(text);
}

void Console::err(std::string_view text) {
  if (voice_ == ConsoleOutput::heard) err_.write(text);
}

void Console::report(const Diagnostic& diagnostic) {
  const std::string text = render(diagnostic, colour_ ? Colour::yes : Colour::no, columns_to_fit());
  const bool is_mine = voice_ == ConsoleOutput::deputy && says_that_the_first_is_gone(diagnostic);
  is_mine ? err_.write(text) : err(text);
}

void Console::report(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) report(diagnostic);
}

void Console::complain(std::string_view message) { err(render_complaint(message, columns_to_fit())); }

int Console::refuse(std::string_view message) {
  complain(message);
  return kExitCommand;
}

int Console::finish(int status) {
  const auto failure = out_.failure();
  if (!failure || status != kExitDone) return status;
  complain(fmt::format("cannot write standard output: {}", std::generic_category().message(*failure)));
  return kExitWorld;
}

int exit_status(const Diagnostics& diagnostics) {
  const Diagnostic* first = nullptr;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.blame == Blame::us) return kExitOurBug;
    if (first == nullptr && diagnostic.severity == Severity::error) first = &diagnostic;
  }
  return first == nullptr ? kExitProgram : static_cast<int>(first->blame);
}

}  // namespace tessera::repl
