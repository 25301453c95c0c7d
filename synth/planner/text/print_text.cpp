#include "synth/planner/text/print_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "base/units_text.hpp"
#include "base/utf8.hpp"
#include "base/wide.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/prices.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

// The largest tile's shape.
std::string local_shape(const ArrayType& type) {
  std::string out;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", cuts(type, d).longest());
  }
  return fmt::format("[{}]", out);
}

bool is_local_copy(const PlanStep& step) {
  return target_of(step.collective) != nullptr && step.received_bytes_total == 0;
}

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, two blanks apart; no blanks at line ends.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], base::count_code_points(row[c]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) line += fmt::format(" {:<{}} ", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

// Below each step that has one its program.
std::string with_programs(const Plan& plan, const std::string& steps) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t row = 0; row <= plan.steps.size(); ++row) {
    const std::size_t end = steps.find('\n', begin) + 1;
    out += steps.substr(begin, end - begin);
    begin = end;
    const ReduceProgram* program = row == 0 ? nullptr : program_of(plan.steps[row - 1].collective);
    if (program != nullptr) out += fmt::format("    {}\n", print(plan.from.mesh(), *program));
  }
  return out;
}

std::string steps_table(const Plan& plan) {
  std::vector<Row> rows{{"step", "axes", "MPI", "local shape", "received by each", "peak"}};
  ArrayType before = plan.from;
  for (const PlanStep& step : plan.steps) {
    const Round* round = round_of(step.collective);
    rows.push_back({std::string(shown_name(step)), detail(step.collective, step.after.mesh()),
                    std::string(shown_mpi_name(step)),
                    fmt::format("{} -> {}", local_shape(before), local_shape(step.after)),
                    base::bytes_text(step.received_bytes_max), base::bytes_text(step.peak_bytes)});
    // All rounds lead from what the first of them begins with.
    if (round == nullptr || round->index + 1 == round->count) before = step.after;
  }
  return with_programs(plan, table(rows));
}

// The plan that gathers everything and slices; nothing if its bytes cannot be counted.
std::optional<Plan> gathered(const Plan& plan) {
  if (base::Wide{2} * array_bytes(plan.from) * std::max(plan.from.devices(), plan.to.devices()) >
      std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  const auto machine = machine_for(Machine{}, run_devices(plan.from, plan.to));
  const auto chain = gather_chain(plan.from, plan.to);
  if (!machine.ok() || !chain.ok()) return std::nullopt;
  Prices prices(*machine);
  auto rival = priced(prices, plan.from, plan.to, Planner::gather, *chain);
  if (!rival.ok()) return std::nullopt;
  return std::move(*rival);
}

// Why the plan is no exchange, which would receive less.
std::string exchange_text(const Plan& plan, const Machine* given) {
  const auto moves = [](const PlanStep& step) { return is_launch(step.collective); };
  const bool has_several = std::count_if(plan.steps.begin(), plan.steps.end(), moves) > 1;
  const Collective exchange = exchange_step(plan.to);
  if (given == nullptr || !has_several || plan.received_bytes_total == plan.lower_bound_bytes_total) return "";
  const auto machine = machine_for(*given, run_devices(plan.from, plan.to));
  if (!machine.ok() || !apply(exchange, plan.from).ok()) return "";
  const StepCost price = cost(*machine, exchange, plan.from, plan.to);
  if (price.received_bytes_total >= plan.received_bytes_total) return "";
  return fmt::format("; one exchange, {}: {}", base::bytes_text(price.received_bytes_total),
                     base::seconds_text(price.seconds));
}

std::string totals(const Plan& plan, const Machine* machine) {
  const auto rival = gathered(plan);
  const auto beside = [&](std::int64_t Plan::* figure) {
    return rival ? fmt::format("; gather, then slice: {}", base::bytes_text((*rival).*figure)) : std::string();
  };
  return fmt::format("  received  {} in all (at least {}{})\n", base::bytes_text(plan.received_bytes_total),
                     base::bytes_text(plan.lower_bound_bytes_total), beside(&Plan::received_bytes_total)) +
         fmt::format("  array     {} at most on a device (bound {})\n", base::bytes_text(plan.local_bytes_max),
                     base::bytes_text(plan.bound_bytes)) +
         fmt::format(
             "  peak      {} on a device{}\n", base::bytes_text(plan.peak_bytes),
             rival ? fmt::format(" (gather, then slice: {})", base::bytes_text(rival->peak_bytes)) : std::string()) +
         fmt::format("  time      {} by the machine model (at least {}{})\n", base::seconds_text(plan.seconds),
                     base::seconds_text(plan.lower_bound_seconds), exchange_text(plan, machine));
}

// The meshes of the two ends.
std::string meshes_text(const Plan& plan, const PlanWords& words) {
  const Mesh& from = plan.from.mesh();
  const Mesh& to = plan.to.mesh();
  if (from != to) return fmt::format("  from mesh {}\n  to mesh   {}\n", words.print(from), words.print(to));
  if (words.understood == nullptr || from == *words.understood) return "";
  return fmt::format("  on mesh {}\n", words.print(from));
}

}  // namespace

bool changes_nothing(const Plan& plan) {
  const auto held = [](const ArrayType& type) {
    std::int64_t sum = 0;
    for (std::int64_t device = 0; device < type.devices(); ++device) sum += elements(tile(type, device));
    return sum;
  };
  if (plan.steps.empty()) return true;
  return plan.steps.size() == 1 && is_local_copy(plan.steps[0]) && held(plan.from) == held(plan.to);
}

std::string_view shown_name(const PlanStep& step) {
  return is_local_copy(step) ? name(CollectiveKind::slice) : name(step.collective);
}

std::string_view shown_mpi_name(const PlanStep& step) {
  return is_local_copy(step) ? mpi_name(CollectiveKind::slice) : mpi_name(step.collective);
}

std::string print_text(const Plan& plan, const PlanWords& words) {
  std::string out = fmt::format("{} -> {}\n", print(plan.from), print(plan.to)) + meshes_text(plan, words);
  if (changes_nothing(plan)) return out + "  nothing to do: every device holds its part already\n";
  return out + steps_table(plan) + totals(plan, words.machine);
}

}  // namespace tessera::synth
