#include <fmt/format.h>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/interrupt.hpp"
#include "repl/ranks/loss.hpp"

namespace tessera::repl {

namespace {

std::string statistics_line(const StatementStatistics& statement) {
  return fmt::format("{}:{}:{}: steps {}, received {} bytes in all, peak {} bytes per device, {:.6f} seconds\n",
                     statement.place.file, statement.place.line, statement.place.column, statement.steps,
                     statement.received_bytes, statement.peak_bytes, statement.seconds);
}

Config config_for(const RunOptions& options, std::vector<MachineLevel> machine, const Launch& launch,
                  Console& console) {
  Config config = on_ranks(base_config(console), launch);
  config.machine = std::move(machine);
  config.reshard = options.reshard;
  config.defines = options.defines;
  config.keep_values = false;
  return config;
}

int run(const RunOptions& options, Launch& launch, Console& console) {
  auto machine = read_machine(options.machine_file, console);
  const auto script = read_text(options.file);
  if (machine && !script.value) console.complain(script.why);
  const bool readable = machine && script.value;
  if (!readable && launch.ranks() == 1) return kExitCommand;
  Session session(config_for(options, readable ? std::move(*machine) : std::vector<MachineLevel>{}, launch, console));
  // A rank that cannot read the script says so to the others by running another.
  const Text text = readable ? *script.value : Text{options.file, ""};
  const auto report = run_stoppable(session, text.text, text.name);
  if (!report && is_hopeless(report.diagnostics()) && launch.ranks() > 1) {
    failed(report.diagnostics(), console);
    abandon(launch, console.finish(exit_status(report.diagnostics())));
  }
  if (!readable) return kExitCommand;
  if (!report) return failed(report.diagnostics(), console);
  if (options.stats) {
    for (const StatementStatistics& statement : report->statistics) console.err(statistics_line(statement));
  }
  return kExitDone;
}

}  // namespace

int perform(const RunOptions& options, Console& console) {
  auto launch = Launch::begin();
  if (!launch) return failed(launch.diagnostics(), console);
  if (launch->ranks() > 1 && options.file == "-") {
    console.complain("several ranks cannot share standard input; put the script into a file");
    return kExitCommand;
  }
  return run(options, *launch, console);
}

}  // namespace tessera::repl
