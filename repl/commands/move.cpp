#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/ranks/loss.hpp"
#include "repl/render/table.hpp"
#include "repl/render/units.hpp"
#include "tessera/move.hpp"

namespace tessera::repl {

namespace {

std::string text_of_move(const MovePlan& plan, const Machine& machine) {
  std::vector<Row> rows{{"array", "from", "to", "received"}};
  for (std::size_t i = 0; i < plan.arrays(); ++i) {
    const Plan one = plan.plan(i);
    rows.push_back({plan.name(i), one.from(), one.to(), bytes_text(one.received_bytes_total())});
  }
  const std::string how = plan.hops() == 0
                              ? std::string("nothing to send")
                              : fmt::format("one relay, {} {}, {} {}", plan.hops(), plan.hops() == 1 ? "hop" : "hops",
                                            plan.stretches(), plan.stretches() == 1 ? "stretch" : "stretches");
  return fmt::format(
      "{}\n{} {} on {} devices: {}\nreceived: {} (at least {})   peak: {}\ntime: {} by the machine model (at least "
      "{})\n{}",
      table(rows), plan.arrays(), plan.arrays() == 1 ? "array" : "arrays", plan.devices(), how,
      bytes_text(plan.received_bytes_total()), bytes_text(plan.lower_bound_bytes_total()),
      bytes_text(plan.peak_bytes()), seconds_text(plan.seconds()), seconds_text(plan.lower_bound_seconds()),
      modelled_line(machine, kMachineHelp));
}

std::string report_text(const MoveReport& report) {
  return fmt::format("moved: {} received in {}\n", bytes_text(report.received_bytes), seconds_text(report.seconds));
}

std::string report_json(const MoveReport& report) {
  return fmt::format("{{\"received_bytes\":{},\"seconds\":{}}}\n", report.received_bytes, report.seconds);
}

// The plan, if there is one, and the exit status if there is none.
struct Prepared {
  std::optional<MovePlan> plan;
  Machine machine = {};
  int status = kExitCommand;
};

Prepared prepare(const MoveOptions& options, Console& console) {
  Prepared prepared;
  const auto machine = read_machine(options.machine_file, console);
  const auto text = read_text(options.list);
  if (machine && !text.value) console.complain(text.why);
  if (!machine || !text.value) return prepared;
  const auto list = read_move_list(text.value->text, text.value->name);
  const auto plan = list ? plan_move(*list, *machine) : Result<MovePlan>(list.diagnostics());
  prepared.status = plan ? kExitDone : failed(plan.diagnostics(), console);
  if (plan) prepared.plan = *plan;
  prepared.machine = *machine;
  return prepared;
}

int ended(const Diagnostics& why, Launch& launch, Console& console) {
  const int status = failed(why, console);
  if (is_hopeless(why) && launch.ranks() > 1) abandon(launch, console.finish(status));
  return status;
}

std::string move_text(const MoveOptions& options, const Prepared& prepared) {
  return options.json ? prepared.plan->json() + '\n' : text_of_move(*prepared.plan, prepared.machine);
}

// Shards, as moves and `save_shards` write them, are no arrays to move.
Diagnostics with_help_for_files(Diagnostics why) {
  for (Diagnostic& diagnostic : why) {
    if (diagnostic.slug == "file-missing" && diagnostic.help.empty())
      diagnostic.help = "each array of the list is one file there, NAME.npy, as `save` writes it";
  }
  return why;
}

int move_on_ranks(const MoveOptions& options, Console& console) {
  auto launch = Launch::begin();
  if (!launch) return failed(launch.diagnostics(), console);
  if (launch->ranks() > 1 && options.list == "-") {
    console.complain("several ranks cannot share standard input; put the list into a file");
    return kExitCommand;
  }
  const Prepared prepared = prepare(options, console);
  const Config config = on_ranks(base_config(console), *launch);
  // Ranks that have read other lists, or none, would wait for each other in vain.
  const Status alike = agree_on_move(config, prepared.plan ? &*prepared.plan : nullptr);
  if (!prepared.plan) return prepared.status;
  if (!alike) return ended(alike.diagnostics(), *launch, console);
  if (!options.json) console.out(move_text(options, prepared));
  const auto report = move_files(config, *prepared.plan, options.from, options.to);
  if (!report) return ended(with_help_for_files(report.diagnostics()), *launch, console);
  console.out(options.json ? report_json(*report) : report_text(*report));
  return kExitDone;
}

}  // namespace

int perform(const MoveOptions& options, Console& console) {
  if (!options.from.empty()) return move_on_ranks(options, console);
  const Prepared prepared = prepare(options, console);
  if (!prepared.plan) return prepared.status;
  console.out(move_text(options, prepared));
  return kExitDone;
}

}  // namespace tessera::repl
