#include <fmt/format.h>

#include "repl/commands/commands.hpp"
#include "repl/line/gpu_options.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/process/interrupt.hpp"
#include "repl/process/trace_file.hpp"
#include "repl/ranks/loss.hpp"
#include "repl/render/profile.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

std::string statistics_line(const StatementStatistics& statement) {
  return fmt::format("{}:{}:{}: steps {}, received {} in all, peak {} per device, {:.6f} seconds\n",
                     statement.place.file, statement.place.line, statement.place.column, statement.steps,
                     exact_bytes_text(statement.received_bytes), exact_bytes_text(statement.peak_bytes),
                     statement.seconds);
}

// What GPUs do not do themselves.
std::string host_steps_line(const RunReport& report) {
  std::string text;
  for (const auto& [name, count] : report.host_steps)
    text += fmt::format("{}{} {}", text.empty() ? "on the host: " : ", ", name, count);
  return text.empty() ? text : text + "\n";
}

// The statistics of a run that failed: those of the statements done before.
void tell_statistics(const RunOptions& options, const Session& session, Console& console) {
  if (!options.stats) return;
  for (const StatementStatistics& statement : session.statistics()) console.err(statistics_line(statement));
}

Config config_for(const RunOptions& options, Machine machine, const Launch& launch, Console& console) {
  Config config = on_gpus(on_ranks(base_config(console), launch), options.gpu);
  config.machine = std::move(machine);
  config.throttle = options.throttle;
  config.place = options.place;
  config.reshard = options.reshard;
  config.defines = options.defines;
  config.keep_values = false;
  config.gpu_times = options.stats;
  return config;
}

// False after saying why devices cannot be made as unequal as the machine says.
bool may_throttle(const RunOptions& options, const Machine& machine, Console& console) {
  if (!options.throttle) return true;
  if (!on_gpus(Config{}, options.gpu).gpus.empty()) {
    console.complain("--throttle makes processors unequal, not GPUs\n  help: leave it out, or write --gpu off");
  } else if (machine.devices.empty()) {
    console.complain("--throttle needs a machine file with \"devices\": --machine FILE");
  } else {
    return true;
  }
  return false;
}

// The trace that the first rank writes for all. The others have one too, which nobody calls.
void trace_into(std::optional<TraceFile>& file, const RunOptions& options, const Launch& launch, Config& config) {
  if (!options.trace_file) return;
  if (launch.rank() == 0) file.emplace(*options.trace_file);
  config.trace = [&file](const TracedStep& step) { file->add(step); };
}

// The status of the run, or, of one that did well, that of its trace. A run that failed before its first step leaves no
// file.
int finished_trace(std::optional<TraceFile>& file, int status, const Session& session, Console& console) {
  if (file && status != kExitDone && file->slices() == 0) file.reset();
  const auto why = file ? file->finish(session.gpus_of_devices()) : std::nullopt;
  if (!why) return status;
  console.complain(*why);
  return status == kExitDone ? kExitWorld : status;
}

// A script as it goes to the other ranks, or why there is none.
std::string packed(const Read<Text>& script) { return script.value ? "+" + script.value->text : "-" + script.why; }
Read<Text> unpacked(const std::string& told) {
  if (told.starts_with('+')) return {Text{"<stdin>", told.substr(1)}, {}};
  return {std::nullopt, told.substr(told.empty() ? 0 : 1)};
}

// The script; fails where ranks do not read the same. Launchers give what they read to the first rank alone, which
// deals it out, if all ranks want it: they agree on that as on any text, so that a rank that has a file learns of it.
Result<Read<Text>> script_of(const RunOptions& options, const std::optional<Read<Text>>& typed, const Launch& launch,
                             Session& session) {
  if (launch.ranks() == 1 || options.file != "-") return typed ? *typed : read_text(options.file);
  const auto agreed = session.check("let standard_input = 0\n", "<stdin>");
  if (!agreed) return agreed.diagnostics();
  const auto told = session.share(typed ? packed(*typed) : "");
  if (!told) return told.diagnostics();
  return unpacked(told->front());
}

int run(const RunOptions& options, const std::optional<Read<Text>>& typed, Launch& launch, Console& console) {
  std::optional<TraceFile> trace;
  auto machine = read_machine(options.machine_file, console);
  const bool can_throttle = machine && may_throttle(options, *machine, console);
  int status = can_throttle ? kExitDone : kExitCommand;
  Config config = config_for(options, status == kExitDone ? std::move(*machine) : Machine{}, launch, console);
  trace_into(trace, options, launch, config);
  if (status == kExitDone && trace && trace->failure()) {
    console.complain(*trace->failure());
    status = kExitWorld;
  }
  if (status != kExitDone && launch.ranks() == 1) return status;
  Session session(std::move(config));
  const auto script = script_of(options, typed, launch, session);
  if (status == kExitDone && script && !script->value) {
    console.complain(script->why);
    status = kExitCommand;
  }
  if (status != kExitDone && launch.ranks() == 1) return status;
  // A rank that cannot run the script says so to the others by running another.
  const Text text = status == kExitDone && script ? *script->value : Text{options.file, ""};
  const auto report = script ? run_stoppable(session, text.text, text.name) : Result<RunReport>(script.diagnostics());
  if (!report && is_hopeless(report.diagnostics()) && launch.ranks() > 1) {
    failed(report.diagnostics(), console);
    tell_statistics(options, session, console);
    abandon(launch, console.finish(finished_trace(trace, exit_status(report.diagnostics()), session, console)));
  }
  if (status != kExitDone) return status;
  const int outcome = report ? kExitDone : failed(report.diagnostics(), console);
  tell_statistics(options, session, console);
  if (report && options.stats) console.err(profile_table(report->profile) + host_steps_line(*report));
  if (report && options.stats && options.throttle) console.err(fmt::format("clock {:.6f} s\n", report->clock_seconds));
  return finished_trace(trace, outcome, session, console);
}

}  // namespace

int perform(const RunOptions& options, Console& console) {
  // At once: MPICH's launcher gives up where nobody takes what it has read.
  std::optional<Read<Text>> typed;
  if (options.file == "-" && Launch::rank_by_launcher() == 0) typed = read_text(options.file);
  auto launch = Launch::begin();
  if (!launch) return failed(launch.diagnostics(), console);
  return run(options, typed, *launch, console);
}

}  // namespace tessera::repl
