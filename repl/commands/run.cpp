#include <fmt/format.h>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/interrupt.hpp"

namespace tessera::repl {

namespace {

std::string statistics_line(const StatementStatistics& statement) {
  return fmt::format("{}:{}:{}: steps {}, received {} bytes in all, peak {} bytes per device, {:.6f} seconds\n",
                     statement.place.file, statement.place.line, statement.place.column, statement.steps,
                     statement.received_bytes, statement.peak_bytes, statement.seconds);
}

Config config_for(const RunOptions& options, std::vector<MachineLevel> machine, Console& console) {
  Config config = base_config(console);
  config.machine = std::move(machine);
  config.reshard = options.reshard;
  config.defines = options.defines;
  config.keep_values = false;
  return config;
}

}  // namespace

int perform(const RunOptions& options, Console& console) {
  auto machine = read_machine(options.machine_file, console);
  if (!machine) return kExitCommand;
  const auto script = read_text(options.file);
  if (!script.value) {
    console.complain(script.why);
    return kExitCommand;
  }
  Session session(config_for(options, std::move(*machine), console));
  const auto report = run_stoppable(session, script.value->text, script.value->name);
  if (!report) return failed(report.diagnostics(), console);
  if (options.stats) {
    for (const StatementStatistics& statement : report->statistics) console.err(statistics_line(statement));
  }
  return kExitDone;
}

}  // namespace tessera::repl
