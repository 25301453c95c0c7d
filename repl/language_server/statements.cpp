// Commands on the statement under the cursor, as text.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "repl/language_server/answers.hpp"
#include "repl/render/table.hpp"
#include "repl/render/units.hpp"
#include "repl/session/report.hpp"

namespace tessera::repl {

namespace {

std::vector<const Redistribution*> changes_at(const View& view, std::uint32_t offset) {
  std::vector<const Redistribution*> all;
  const TextStatement* const statement = statement_at(view.analysis, offset);
  for (const TextMove& move : view.analysis.moves) {
    const bool is_its = statement != nullptr && move.redistribution.statement == statement->number;
    if (is_its && !move.redistribution.plan.steps().empty()) all.push_back(&move.redistribution);
  }
  return all;
}

std::string compared(const View& view, const Plan& ours) {
  std::vector<Row> rows = {{"planner", "steps", "received", "largest array", "peak", "modelled"}};
  for (const std::string& planner : planner_names()) {
    if (ours.to_mesh_text().empty() && plans_between_meshes(planner)) continue;
    PlanRequest request{ours.mesh_text(), ours.from(), ours.to(), planner, view.machine};
    request.to_mesh = ours.to_mesh_text();
    const auto plan = make_plan(request);
    if (!plan) continue;
    rows.push_back({planner, steps_text(*plan), bytes_text(plan->received_bytes_total()),
                    bytes_text(plan->local_bytes_max()), bytes_text(plan->peak_bytes()),
                    seconds_text(plan->seconds())});
  }
  return fmt::format("{} -> {}\n{}", ours.from(), ours.to(), table(rows));
}

}  // namespace

std::string plan_of_statement(const View& view, std::uint32_t offset) {
  std::string text;
  for (const Redistribution* change : changes_at(view, offset)) text += plan_and_reason(view, *change) + "\n";
  const TextStatement* const statement = statement_at(view.analysis, offset);
  for (const TextPartsMoved& one : view.analysis.parts_moved) {
    if (statement != nullptr && one.parts.statement == statement->number) text += part_text(one.parts);
  }
  return text.empty() ? "nothing moves in this statement\n" : text;
}

std::string comparison_of_statement(const View& view, std::uint32_t offset) {
  std::string text;
  for (const Redistribution* change : changes_at(view, offset)) text += compared(view, change->plan) + "\n";
  return text.empty() ? "nothing changes its layout in this statement\n" : text;
}

}  // namespace tessera::repl
