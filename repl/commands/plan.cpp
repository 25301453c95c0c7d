#include <fmt/format.h>

#include <utility>

#include "repl/commands/answer_lines.hpp"
#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/process/output_picture.hpp"
#include "repl/render/json.hpp"
#include "repl/render/units.hpp"
#include "repl/session/traffic.hpp"
#include "tessera/interop.hpp"
#include "tessera/plan_verdict.hpp"

namespace tessera::repl {

namespace {

// Requests longer than this are no requests.
constexpr std::size_t kRequestBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kPlanBytesMax = std::size_t{64} << 20U;

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

Result<std::string> json_of(const PlanRequest& request, bool sends) {
  const auto plan = make_plan(request);
  if (!plan) return plan.diagnostics();
  return sends ? json_with_sends(*plan) : plan->json();
}

// One line of a batch: a plan, or why there is none. Gives whether there is one.
bool answer_line(const std::string& line, const PlanRequest& defaults, bool sends, Console& console) {
  const auto request = read_request(line, defaults);
  if (!request) {
    console.out(plan_failure_json(line, defaults, request.diagnostics()) + '\n');
    return false;
  }
  const auto json = json_of(*request, sends);
  console.out((json ? *json : plan_failure_json(*request, json.diagnostics())) + '\n');
  return json.ok();
}

std::string cost_text(const Plan& plan) {
  return fmt::format("verified: {} received (at least {}), peak {}, {} (at least {})",
                     bytes_text(plan.received_bytes_total()), bytes_text(plan.lower_bound_bytes_total()),
                     bytes_text(plan.peak_bytes()), seconds_text(plan.seconds()),
                     seconds_text(plan.lower_bound_seconds()));
}

// One line of plans: what the plan costs, or what is wrong with it. Gives whether it is right.
bool verify_line(const std::string& line, std::int64_t number, const PlanOptions& options, const Machine& machine,
                 Console& console) {
  PlanVerdict verdict;
  if (line.size() > kPlanBytesMax) {
    verdict.fault = "this is not a plan in JSON: the line is longer than 64 MiB";
  } else {
    verdict = verify_plan(line, machine);
  }
  const bool right = verdict.fault.empty();
  if (options.json) {
    console.out(right ? verdict.plan->json() + '\n' : wrong_plan_json(number, verdict.fault));
  } else {
    console.out(fmt::format("line {}: {}\n", number, right ? cost_text(*verdict.plan) : "wrong: " + verdict.fault));
  }
  return right;
}

// A planner is looked up before anything else, so a request without types tells whether there is one of that name.
std::optional<Diagnostics> unknown_planner(const PlanRequest& request) {
  for (const std::string& name : planner_names()) {
    if (name == request.planner) return std::nullopt;
  }
  return make_plan(request).diagnostics();
}

int plan_as_json(const PlanRequest& request, bool sends, Console& console) {
  const auto json = json_of(request, sends);
  console.out((json ? *json : plan_failure_json(request, json.diagnostics())) + '\n');
  return json ? kExitDone : failed(json.diagnostics(), console);
}

int plan_for_people(const PlanRequest& request, Console& console) {
  const auto plan = make_plan(request);
  if (!plan) return failed(plan.diagnostics(), console);
  const std::string mesh = plan->mesh_text();
  if (mesh.find(" place ") != std::string::npos) console.out("mesh " + mesh + "\n");
  console.out(answer_for_output(plan->text() + links_text(*plan) + modelled_line(request.machine, kMachineHelp)));
  return kExitDone;
}

int emit_plan(const PlanRequest& request, const std::string& target, Console& console) {
  const auto plan = make_plan(request);
  if (!plan) return failed(plan.diagnostics(), console);
  const auto text = emit(*plan, target);
  if (!text) return failed(text.diagnostics(), console);
  console.out(*text);
  return kExitDone;
}

// Fills in mesh and types from layouts that other systems write. A failure is reported, and its exit status given.
std::optional<int> read_foreign_ends(const PlanOptions& options, PlanRequest& request, Console& console) {
  const auto end = [&](const std::optional<ForeignText>& foreign, const std::string& ours) {
    ForeignLayout layout{foreign ? foreign->format : "tessera", foreign ? foreign->text : ours};
    layout.mesh = request.mesh;
    if (foreign) layout.shape = options.shape;
    layout.bytes = options.bytes;
    if (foreign) layout.devices = options.devices;
    return layout;
  };
  const auto read = read_layouts(end(options.foreign_from, request.from), end(options.foreign_to, request.to));
  if (!read) return failed(read.diagnostics(), console);
  request.mesh = placed(read->first.mesh, options.place);
  request.from = read->first.type;
  request.to = read->second.type;
  return std::nullopt;
}

}  // namespace

int perform(const PlanOptions& options, Console& console) {
  auto machine = read_machine(options.machine_file, console);
  if (!machine) return kExitCommand;
  if (options.verify_file) {
    return answer_lines(*options.verify_file, console, [&](const std::string& line, std::int64_t number) {
      return verify_line(line, number, options, *machine, console);
    });
  }
  PlanRequest request;
  const bool is_foreign = options.foreign_from || options.foreign_to;
  request.mesh = is_foreign ? options.mesh.value_or("") : placed(options.mesh.value_or(""), options.place);
  request.to_mesh = options.to_mesh.value_or("");
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
  if (is_foreign) {
    if (const auto status = read_foreign_ends(options, request, console)) return *status;
  }
  if (options.emit) return emit_plan(request, *options.emit, console);
  if (!options.batch_file)
    return options.json ? plan_as_json(request, options.sends, console) : plan_for_people(request, console);
  if (const auto why = unknown_planner(request)) return failed(*why, console);
  return answer_lines(*options.batch_file, console, [&](const std::string& line, std::int64_t) {
    return answer_line(line, request, options.sends, console);
  });
}

}  // namespace tessera::repl
