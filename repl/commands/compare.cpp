#include <fmt/format.h>

#include <utility>
#include <vector>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/output_picture.hpp"
#include "repl/render/refusals.hpp"
#include "repl/render/table.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

// One planner's answer.
struct Tried {
  PlanRequest request;
  Result<Plan> plan;
};

std::string ratio(double value, double bound) {
  constexpr double kWholeFrom = 100;  // decimals would only look exact
  if (bound <= 0) return "-";
  return value / bound < kWholeFrom ? fmt::format("{:.2f}", value / bound) : fmt::format("{:.0f}", value / bound);
}

std::string ratio(std::int64_t value, std::int64_t bound) {
  return ratio(static_cast<double>(value), static_cast<double>(bound));
}

Row row_of(const std::string& planner, const Plan& plan) {
  return {planner,
          steps_text(plan),
          bytes_text(plan.received_bytes_total()),
          ratio(plan.received_bytes_total(), plan.lower_bound_bytes_total()),
          bytes_text(plan.local_bytes_max()),
          ratio(plan.local_bytes_max(), plan.bound_bytes()),
          bytes_text(plan.peak_bytes()),
          seconds_text(plan.seconds()),
          ratio(plan.seconds(), plan.lower_bound_seconds())};
}

std::string table_of(const std::vector<Tried>& attempts) {
  const Plan& ours = *attempts.front().plan;
  std::vector<Row> rows = {
      {"planner", "steps", "received", "/bound", "largest array", "/bound", "peak", "time", "/bound"}};
  Refusals refusals;
  for (const Tried& attempt : attempts) {
    if (attempt.plan)
      rows.push_back(row_of(attempt.request.planner, *attempt.plan));
    else
      refusals.add(attempt.request.planner, attempt.plan.diagnostics().front().message);
  }
  rows.push_back({"bound", "", bytes_text(ours.lower_bound_bytes_total()), "", bytes_text(ours.bound_bytes()), "", "",
                  seconds_text(ours.lower_bound_seconds()), ""});
  return fmt::format("{} -> {}\nreceived by all devices; largest array and peak of a device\n\n{}{}", ours.from(),
                     ours.to(), table(rows), refusals.text());
}

std::string json_of(const std::vector<Tried>& attempts) {
  std::string lines;
  for (const Tried& attempt : attempts) {
    lines += attempt.plan ? attempt.plan->json() : plan_failure_json(attempt.request, attempt.plan.diagnostics());
    lines += '\n';
  }
  return lines;
}

// A rival may be unable to plan; nobody may fail through a bug of ours.
int status_of(const std::vector<Tried>& attempts, Console& console) {
  int status = kExitDone;
  for (const Tried& attempt : attempts) {
    if (attempt.plan || exit_status(attempt.plan.diagnostics()) != kExitOurBug) continue;
    status = failed(attempt.plan.diagnostics(), console);
  }
  return status;
}

}  // namespace

int perform(const CompareOptions& options, Console& console) {
  auto machine = read_machine(options.machine_file, console);
  if (!machine) return kExitCommand;
  std::vector<Tried> attempts;
  for (const std::string& planner : planner_names()) {
    if (options.to_mesh.empty() && plans_between_meshes(planner)) continue;
    PlanRequest request{placed(options.mesh, options.place),
                        options.from,
                        options.to,
                        planner,
                        *machine,
                        false,
                        std::nullopt,
                        std::nullopt,
                        options.to_mesh};
    auto plan = make_plan(request);
    // Our own planner comes first and plans everything that makes sense.
    if (!plan && attempts.empty()) {
      if (options.json) console.out(plan_failure_json(request, plan.diagnostics()) + '\n');
      return failed(plan.diagnostics(), console);
    }
    attempts.push_back(Tried{std::move(request), std::move(plan)});
  }
  console.out(options.json ? json_of(attempts)
                           : answer_for_output(table_of(attempts) + modelled_line(*machine, kMachineHelp)));
  return status_of(attempts, console);
}

}  // namespace tessera::repl
