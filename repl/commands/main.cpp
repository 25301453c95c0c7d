// The `tessera` executable: a client of the public library.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

#include "repl/commands/commands.hpp"
#include "repl/line/command_line.hpp"
#include "repl/process/console.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/process/interrupt.hpp"

namespace tessera::repl {

namespace {

// True for work that the processes of a launcher do together. The first of them does all other work alone.
bool moves_files(const Command& command) {
  const auto* const move = std::get_if<MoveOptions>(&command);
  return move != nullptr && !move->from.empty();
}
bool is_for_ranks(const Command& command) {
  return moves_files(command) || std::holds_alternative<RunOptions>(command) ||
         std::holds_alternative<CalibrateOptions>(command) || std::holds_alternative<WorkerOptions>(command);
}

// The processes of a launcher agree on the command first: a rank with a command that takes no part in MPI would leave
// those that run a script waiting for it. Ranks compare scripts; such a rank gives a text that names its command
// instead. Returns the exit status if they do not agree.
std::optional<int> disagreement(const Command& command, Console& console) {
  if (Launch::ranks_by_launcher() == 1 || moves_files(command) || std::holds_alternative<RunOptions>(command) ||
      std::holds_alternative<CalibrateOptions>(command) || std::holds_alternative<WorkerOptions>(command)) {
    return std::nullopt;
  }
  const auto launch = Launch::begin();
  if (!launch) return std::nullopt;
  Session session(on_ranks(base_config(console), *launch));
  const auto agreed = session.run(fmt::format("let tessera_command = {}", command.index()), "command");
  if (agreed) return std::nullopt;
  return failed(agreed.diagnostics(), console);
}

// The first rank speaks for all. A session's front end sees for itself which rank is gone.
ConsoleOutput voice_of(int rank, const Command& command) {
  if (rank == 0) return ConsoleOutput::heard;
  return rank == 1 && !std::holds_alternative<WorkerOptions>(command) ? ConsoleOutput::deputy : ConsoleOutput::mute;
}

// Where no handler can be: a library's own thread, or its first use in an address space that is too small for it.
[[noreturn]] void end_for_lack_of_memory();

// There before the parser's tables, which are made before main begins.
struct End {
  End() : usual(std::set_terminate(end_for_lack_of_memory)) {}
  std::terminate_handler usual;
};
[[gnu::init_priority(101)]] const End the_end;

void end_for_lack_of_memory() {
  try {
    if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kSaid = "error: out of memory\n";
    const ssize_t written = ::write(STDERR_FILENO, kSaid.data(), kSaid.size());
    (void)written;
    std::_Exit(kExitWorld);
  } catch (...) {
    the_end.usual();  // it names the exception
  }
  the_end.usual();
  std::abort();
}

int our_bug(const std::exception& error, Console& console) {
  console.complain(std::string("internal error: ") + error.what() + "; this is a bug in Tessera, please report it");
  return kExitOurBug;
}

int perform_any(const Command& command, Console& console) {
  try {
    if (const auto status = disagreement(command, console)) return *status;
    if (Launch::rank_by_launcher() > 0 && !is_for_ranks(command)) return kExitDone;
    return std::visit([&](const auto& options) { return perform(options, console); }, command);
  } catch (const std::bad_alloc&) {
    console.complain("out of memory");
    return kExitWorld;
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) return our_bug(error, console);
    console.complain("no thread can be started: there is too little memory for it, or too many threads run");
    return kExitWorld;
  } catch (const std::exception& error) {
    return our_bug(error, console);
  }
}

}  // namespace
}  // namespace tessera::repl

int main(int argument_count, char** arguments) {
  tessera::repl::open_standard_descriptors();
  tessera::repl::let_writes_fail();
  tessera::repl::end_with_the_terminal();
  const tessera::repl::Command command = tessera::repl::parse_command_line(argument_count, arguments);
  tessera::repl::Console console(tessera::repl::voice_of(tessera::Launch::rank_by_launcher(), command));
  return console.finish(tessera::repl::perform_any(command, console));
}
