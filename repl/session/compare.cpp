// `:compare`: each redistribution of an expression by every planner, side by side; with --run, measured.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "repl/process/interrupt.hpp"
#include "repl/render/refusals.hpp"
#include "repl/render/table.hpp"
#include "repl/render/units.hpp"
#include "repl/session/expressions.hpp"
#include "repl/session/plan_data.hpp"
#include "repl/session/report.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kRun = "--run";
constexpr int kRunsOfEach = 5;
constexpr std::size_t kModelledColumn = 4;  // that of measured times is the next

// Runs the plans of several planners on one array and measures them.
class Measurement {
 public:
  explicit Measurement(const Interpreter& interpreter) : interpreter_(interpreter), session_(interpreter.nameless()) {}

  // The best of several runs, in seconds.
  Result<double> of(const Plan& plan) {
    const StoppableRun stoppable(session_);
    if (!source_) {
      auto source = numbered_source(plan, interpreter_.nameless());
      if (!source) return source.diagnostics();
      source_ = std::move(*source);
    }
    double best = 0;
    for (int i = 0; i < kRunsOfEach; ++i) {
      auto run = session_.run(plan, *source_);
      if (!run) return run.diagnostics();
      best = i == 0 ? run->seconds : std::min(best, run->seconds);
      if (i == 0) compare(run->after.empty() ? *source_ : run->after.back());
    }
    return best;
  }

  // Did all plans so far leave the same on every device, whichever rank has it?
  bool agree() const { return interpreter_.ranks().all_say(agree_); }

 private:
  void compare(const Array& result) {
    if (!first_) {
      first_ = result;
      return;
    }
    for (std::int64_t device = 0; device < result.devices() && agree_; ++device) {
      const auto ours = first_->tile(device);
      const auto theirs = result.tile(device);
      if (!ours && !theirs) continue;  // another rank's
      agree_ = ours && theirs && ours->box == theirs->box && ours->bytes == theirs->bytes;
    }
  }

  const Interpreter& interpreter_;
  Session session_;
  std::optional<Array> source_;
  std::optional<Array> first_;
  bool agree_ = true;
};

Row heading(bool measured) {
  Row row = {"planner", "steps", "received", "peak", "modelled"};
  if (measured) row.push_back("measured");
  return row;
}

Row compared_row(const std::string& planner, const Plan& plan) {
  return {planner, steps_text(plan), bytes_text(plan.received_bytes_total()), bytes_text(plan.peak_bytes()),
          seconds_text(plan.seconds())};
}

// Beside each time, which it is when the fastest is the first; times that print alike share a place. `4.03 us (1)`. One
// for each row below the heading; none: that row has no time of its own.
void add_orders(std::vector<Row>& rows, const std::vector<std::optional<double>>& times, std::size_t column) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!times[i]) continue;
    const auto faster = std::count_if(times.begin(), times.end(), [&](const std::optional<double>& other) {
      return other && *other < *times[i] && seconds_text(*other) != seconds_text(*times[i]);
    });
    rows[i + 1][column] += fmt::format(" ({})", faster + 1);
  }
}

// All that a plan does, whoever made it.
std::string steps_of(const Plan& plan) { return nlohmann::json::parse(plan.json()).at("steps").dump(); }

// One redistribution by every planner. False: a run failed, which has been reported.
bool compare_one(const CommandCall& call, const Redistribution& change, bool measured) {
  const Machine machine = call.interpreter.state().session.config().machine;
  Measurement measurement(call.interpreter);
  std::vector<Row> rows = {heading(measured)};
  Refusals refusals;
  std::vector<std::optional<double>> times;
  std::vector<std::optional<double>> measured_times;
  std::map<std::string, std::string> first_with;  // these steps, of the planners so far
  for (const std::string& planner : planner_names()) {
    if (change.plan.to_mesh_text().empty() && plans_between_meshes(planner)) continue;
    PlanRequest request{
        change.plan.mesh_text(),   change.plan.from(), change.plan.to(), planner, machine, false, {}, {},
        change.plan.to_mesh_text()};
    const auto plan = make_plan(request);
    if (!plan) {
      refusals.add(planner, plan.diagnostics().front().message);
      continue;
    }
    Row& row = rows.emplace_back(compared_row(planner, *plan));
    if (!measured) continue;
    times.push_back(plan->seconds());
    // Runs of the same steps differ by chance alone.
    if (const auto [first, is_new] = first_with.emplace(steps_of(*plan), planner); !is_new) {
      row.push_back("as " + first->second);
      measured_times.emplace_back();
      continue;
    }
    const auto seconds = measurement.of(*plan);
    if (!seconds) return call.interpreter.fail(seconds.diagnostics());
    measured_times.push_back(*seconds);
    row.push_back(seconds_text(*seconds));
  }
  if (measured) {
    add_orders(rows, times, kModelledColumn);
    add_orders(rows, measured_times, kModelledColumn + 1);
  }
  call.out(ends_text(change.plan, call.interpreter.state().session.meshes()) + table(rows) + refusals.text());
  if (!measurement.agree())
    return call.interpreter.complain("these plans do not leave the same data; this is a bug in Tessera");
  if (measured) {
    const bool any_equal = first_with.size() < times.size();
    call.out(fmt::format(
        "measured: here, the best of five runs; (1) is the fastest. Every plan left the same data on every device\n{}",
        any_equal ? "as PLANNER: the same plan as that one's, step by step, which ran once\n" : ""));
  }
  return true;
}

}  // namespace

bool run_compare(const CommandCall& call) {
  const bool measured = call.argument == kRun || call.argument.starts_with(std::string(kRun) + " ");
  std::size_t begin = call.argument_at;
  if (measured) begin = std::min(call.text.find_first_not_of(" \t\n", begin + kRun.size()), call.text.size());
  if (begin == call.text.size()) return call.interpreter.complain("`:compare --run` needs an expression");
  const auto movement = movement_asked_about(call, begin);
  if (!movement) return false;
  if (movement->empty()) call.out("nothing moves, with any planner\n");
  for (const Redistribution& change : movement->changes) {
    if (!compare_one(call, change, measured)) return false;
  }
  if (!movement->changes.empty()) say_what_is_modelled(call);
  for (const PartsMoved& part : movement->parts) call.out("with every planner, " + part_text(part));
  return true;
}

}  // namespace tessera::repl
