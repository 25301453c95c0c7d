// `tessera estimate`: what a script would take on a machine.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "repl/commands/commands.hpp"
#include "repl/estimate/estimate_text.hpp"
#include "repl/estimate/sweep.hpp"
#include "repl/page/page.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/process/output_picture.hpp"
#include "repl/render/units.hpp"
#include "tessera/estimate.hpp"

namespace tessera::repl {

namespace {

// A point of the sweep, checked: the program that was estimated, or why there is none.
struct Estimated {
  std::string text;
  Machine machine;
  std::optional<Program> program;
  std::optional<Estimate> estimate;
  Diagnostics why;
  std::string complaint;  // without a diagnostic
  int status = kExitDone;
};

Estimated estimate_of(const Text& script, const SweepPoint& point, const EstimateOptions& options, Console& console) {
  Estimated result;
  result.text = script.text;
  auto machine = read_machine(point.machine_file, console);
  if (!machine) {
    result.status = kExitCommand;
    return result;
  }
  if (point.devices > 0) {
    auto text = with_devices(script.text, point.devices, result.complaint);
    if (!text) {
      result.status = kExitCommand;
      return result;
    }
    result.text = std::move(*text);
  }
  result.machine = *machine;
  Config config = base_config(console);
  config.machine = std::move(*machine);
  config.place = options.place;
  config.defines = point.defines;
  config.log = nullptr;
  Session session(std::move(config));
  auto program = session.check(result.text, script.name);
  auto estimated = program ? estimate(*program) : Result<Estimate>(program.diagnostics());
  if (!estimated) {
    result.why = estimated.diagnostics();
    result.status = exit_status(result.why);
    return result;
  }
  result.program = std::move(*program);
  result.estimate = std::move(*estimated);
  return result;
}

int tell_failure(const Estimated& one, Console& console) {
  if (!one.why.empty()) console.report(one.why);
  if (!one.complaint.empty()) console.complain(one.complaint);
  return one.status;
}

int tell_one(const Estimated& one, const EstimateOptions& options, Console& console) {
  if (!one.estimate) return tell_failure(one, console);
  if (options.json) {
    console.out(estimate_json(*one.estimate).dump() + "\n");
    return kExitDone;
  }
  console.out(answer_for_output(estimate_text(*one.estimate, one.text, options.order) +
                                modelled_line(one.machine, kMachineHelp) + device_note(*one.estimate)));
  return kExitDone;
}

std::string json_of(const SweptEstimate& one) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : one.point.told) object["sweep"][name] = value;
  if (one.estimate) {
    object.update(estimate_json(*one.estimate));
  } else {
    object["error"] = one.why;
  }
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

int perform(const EstimateOptions& options, Console& console) {
  std::string why;
  const std::vector<SweepPoint> points = sweep_points(options, why);
  if (points.empty()) return console.refuse(why);
  const auto script = read_text(options.file);
  if (!script.value) {
    console.complain(script.why);
    return kExitCommand;
  }
  std::optional<OutputFile> page;
  if (options.output) page.emplace(*options.output, console);
  if (page && page->failed()) return kExitWorld;
  std::vector<SweptEstimate> swept;
  std::optional<Estimated> last;
  for (const SweepPoint& point : points) {
    Estimated one = estimate_of(*script.value, point, options, console);
    if (points.size() == 1 && (!page || !one.estimate)) return tell_one(one, options, console);
    if (one.status == kExitCommand && one.complaint.empty() && one.why.empty()) return kExitCommand;
    const std::string reason = one.why.empty() ? one.complaint : one.why.front().message;
    swept.push_back({point, one.estimate, reason});
    if (one.estimate) last = std::move(one);
  }
  if (!last) {
    console.complain("no program of the sweep makes sense: " + swept.front().why);
    return kExitProgram;
  }
  if (page) {
    const std::string modelled = modelled_line(last->machine, kMachineHelp) + device_note(*last->estimate);
    return page->write(estimate_page(script.value->name, last->text, modelled, *last->program, swept));
  }
  if (options.json) {
    for (const SweptEstimate& one : swept) console.out(json_of(one));
  } else {
    console.out(answer_for_output(sweep_text(swept) + device_note(*last->estimate)));
  }
  return kExitDone;
}

}  // namespace tessera::repl
