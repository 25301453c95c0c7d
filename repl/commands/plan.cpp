#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"

namespace tessera::repl {

namespace {

// Requests longer than this are no requests.
constexpr std::size_t kRequestBytesMax = std::size_t{1} << 20U;

Diagnostics too_long() {
  Diagnostic diagnostic;
  diagnostic.slug = "plan-request";
  diagnostic.message = "this is not a request for a plan: the line is longer than 1 MiB";
  return {diagnostic};
}

Result<PlanRequest> read_request(const std::string& line, const PlanRequest& defaults) {
  if (line.size() > kRequestBytesMax) return too_long();
  return parse_plan_request(line, defaults);
}

// One line of a batch: a plan, or why there is none. Gives whether there is one.
bool answer_line(const std::string& line, const PlanRequest& defaults, Console& console) {
  const auto request = read_request(line, defaults);
  if (!request) {
    console.out(plan_failure_json(line, defaults, request.diagnostics()) + '\n');
    return false;
  }
  const auto plan = make_plan(*request);
  console.out((plan ? plan->json() : plan_failure_json(*request, plan.diagnostics())) + '\n');
  return plan.ok();
}

// All lines of the file, each answered before the next is read.
int answer_lines(const std::string& path, const PlanRequest& defaults, Console& console) {
  const OpenFile file(path);
  const std::string name = path == "-" ? "standard input" : path;
  if (!file.ok()) {
    console.complain("cannot read " + name + ": " + file.why());
    return kExitCommand;
  }
  LineReader lines(file.descriptor());
  bool all_planned = true;
  std::string line;
  while (true) {
    const LineReader::Outcome outcome = lines.next(line);
    if (outcome == LineReader::Outcome::failed) {
      console.complain("cannot read " + name + ": " + lines.why());
      return kExitCommand;
    }
    if (outcome == LineReader::Outcome::end) return all_planned ? kExitDone : kExitProgram;
    if (outcome == LineReader::Outcome::interrupted || line.find_first_not_of(" \t\r") == std::string::npos) continue;
    all_planned = answer_line(line, defaults, console) && all_planned;
  }
}

// A planner is looked up before anything else, so a request without types tells whether there is one of that name.
std::optional<Diagnostics> unknown_planner(const PlanRequest& request) {
  for (const std::string& name : planner_names()) {
    if (name == request.planner) return std::nullopt;
  }
  return make_plan(request).diagnostics();
}

int plan_one(const PlanRequest& request, bool json, Console& console) {
  const auto plan = make_plan(request);
  if (plan) {
    console.out(json ? plan->json() + '\n' : plan->text());
    return kExitDone;
  }
  if (json) console.out(plan_failure_json(request, plan.diagnostics()) + '\n');
  return failed(plan.diagnostics(), console);
}

}  // namespace

int perform(const PlanOptions& options, Console& console) {
  auto machine = read_machine(options.machine_file, console);
  if (!machine) return kExitCommand;
  PlanRequest request;
  request.mesh = options.mesh.value_or("");
  request.from = options.from.value_or("");
  request.to = options.to.value_or("");
  request.planner = options.planner.value_or(request.planner);
  request.machine = std::move(*machine);
  request.collectives_only = options.collectives_only;
  if (options.within) {
    const auto bytes = parse_size(*options.within);
    if (!bytes) return failed(bytes.diagnostics(), console);
    request.within_bytes = *bytes;
  }
  if (!options.batch_file) return plan_one(request, options.json, console);
  if (const auto why = unknown_planner(request)) return failed(*why, console);
  return answer_lines(*options.batch_file, request, console);
}

}  // namespace tessera::repl
