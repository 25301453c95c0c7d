#include "repl/estimate/estimate_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "repl/render/table.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view kUnknownTurns = "a loop whose count is known only at run time was taken for one turn\n";
constexpr std::size_t kStatementShownMax = 40;  // code points of a statement

std::string bytes_of(double bytes) {
  constexpr double kMost = 9e18;
  return bytes_text(static_cast<std::int64_t>(std::min(bytes, kMost)));
}

std::string first_line_of(std::string_view text, std::uint32_t number) {
  for (std::uint32_t line = 1; line < number && !text.empty(); ++line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::string shown(text.substr(0, text.find('\n')));
  std::size_t points = 0;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(shown[at]) & 0xC0U) != 0x80U;
    if (begins && points++ == kStatementShownMax) return shown.substr(0, at) + " ..";
  }
  return shown;
}

std::vector<EstimatedStatement> ordered(const Estimate& estimate, EstimateOptions::Order order) {
  std::vector<EstimatedStatement> all = estimate.statements;
  if (order == EstimateOptions::Order::time) {
    std::stable_sort(all.begin(), all.end(),
                     [](const EstimatedStatement& a, const EstimatedStatement& b) { return a.seconds > b.seconds; });
  }
  return all;
}

std::string statement_table(const Estimate& estimate, std::string_view text, EstimateOptions::Order order) {
  const bool by_level = estimate.levels.size() > 1;
  Row names = {"statement", "line", "seconds", "computing", "moving", "operations", "memory", "received"};
  if (by_level) {
    for (const std::string& level : estimate.levels) names.push_back("by " + level);
  }
  names.insert(names.end(), {"slowest", "of flops"});
  std::vector<Row> rows = {names};
  for (const EstimatedStatement& one : ordered(estimate, order)) {
    Row row = {first_line_of(text, one.place.line), fmt::format("{}", one.place.line),
               seconds_text(one.seconds),           seconds_text(one.seconds - one.move_seconds),
               seconds_text(one.move_seconds),      operations_text(one.operations),
               bytes_of(one.memory_bytes),          bytes_text(one.received_bytes)};
    for (std::size_t k = 0; by_level && k < estimate.levels.size(); ++k)
      row.push_back(k < one.received_by_level.size() ? bytes_text(one.received_by_level[k]) : "-");
    row.insert(row.end(), {fmt::format("{}", one.slowest), share_text(one.speed_share)});
    rows.push_back(std::move(row));
  }
  return table(rows);
}

// What one thing takes: the whole program, or a statement.
std::string seconds_line(double seconds, double move_seconds, double speed_share, std::int64_t devices) {
  return fmt::format("{} by the machine model: {} computing, {} moving; {} of flops on {}\n", seconds_text(seconds),
                     seconds_text(seconds - move_seconds), seconds_text(move_seconds), share_text(speed_share),
                     counted(devices, "device", "devices"));
}

Row step_row(const EstimatedStep& one) {
  return {one.name,
          fmt::format("{:.0f}", one.times),
          seconds_text(one.seconds),
          operations_text(one.operations),
          bytes_of(one.memory_bytes),
          bytes_text(one.received_bytes),
          one.moves ? "-" : fmt::format("{}", one.slowest)};
}

std::string memory_line(const Estimate& estimate, bool with_place) {
  std::string line = fmt::format("peak {} on device {}", bytes_text(estimate.peak_bytes), estimate.peak_device);
  if (estimate.peak_place.line > 0 && with_place) line += fmt::format(", first at line {}", estimate.peak_place.line);
  if (estimate.memory_bytes_max == 0) return line + "\n";
  const bool fits = estimate.peak_bytes <= estimate.memory_bytes_max;
  return line + fmt::format("; the device has {}: {}\n", bytes_text(estimate.memory_bytes_max),
                            fits ? "it fits" : "it does not fit");
}

}  // namespace

std::string share_text(double share) {
  constexpr double kHundred = 100;
  const double percent = share * kHundred;
  return percent >= 10 || percent == 0 ? fmt::format("{:.0f}%", percent) : fmt::format("{:.1f}%", percent);
}

std::string operations_text(double operations) {
  constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  constexpr double kThousand = 1000;
  std::size_t prefix = 0;
  while (operations >= kThousand && prefix + 1 < kPrefixes.size()) {
    operations /= kThousand;
    ++prefix;
  }
  return fmt::format("{:.4g} {}flop", operations, kPrefixes.at(prefix));
}

std::string device_note(const Estimate& estimate) {
  if (!estimate.devices_assumed) return "";
  const DeviceKind assumed;
  return fmt::format("devices of {} a second and {}/s each, assumed; a machine file with `devices` gives others\n",
                     operations_text(assumed.flops_per_second), bytes_of(assumed.bandwidth_bytes_per_second));
}

std::string estimate_text(const Estimate& estimate, std::string_view text, EstimateOptions::Order order) {
  std::string all = seconds_line(estimate.seconds, estimate.move_seconds, estimate.speed_share, estimate.devices);
  all += memory_line(estimate, true);
  if (!estimate.statements.empty()) all += statement_table(estimate, text, order);
  if (!estimate.turns_known) all += kUnknownTurns;
  return all;
}

std::string steps_text(const Estimate& estimate, std::optional<std::uint32_t> statement) {
  EstimatedStatement sum;
  for (const EstimatedStatement& one : estimate.statements) {
    if (one.statement == statement) sum = one;
  }
  std::string all = seconds_line(sum.seconds, sum.move_seconds, sum.speed_share, estimate.devices);
  all += memory_line(estimate, false);
  std::vector<Row> rows = {{"step", "times", "seconds", "operations", "memory", "received", "slowest"}};
  for (const EstimatedStep& one : estimate.steps) {
    if (one.statement == statement) rows.push_back(step_row(one));
  }
  if (rows.size() > 1) all += table(rows);
  if (!estimate.turns_known) all += kUnknownTurns;
  return all;
}

ordered_json estimate_json(const Estimate& estimate) {
  ordered_json statements = ordered_json::array();
  for (const EstimatedStatement& one : estimate.statements) {
    statements.push_back({{"line", one.place.line},
                          {"seconds", one.seconds},
                          {"compute_seconds", one.compute_seconds},
                          {"move_seconds", one.move_seconds},
                          {"pipeline_seconds", one.pipeline_seconds},
                          {"operations", one.operations},
                          {"memory_bytes", one.memory_bytes},
                          {"received_bytes", one.received_bytes},
                          {"received_by_level", one.received_by_level},
                          {"slowest_device", one.slowest},
                          {"speed_share", one.speed_share}});
  }
  return {{"seconds", estimate.seconds},
          {"compute_seconds", estimate.compute_seconds},
          {"move_seconds", estimate.move_seconds},
          {"operations", estimate.operations},
          {"memory_bytes", estimate.memory_bytes},
          {"received_bytes", estimate.received_bytes},
          {"speed_share", estimate.speed_share},
          {"devices", estimate.devices},
          {"levels", estimate.levels},
          {"peak_bytes", estimate.peak_bytes},
          {"peak_device", estimate.peak_device},
          {"device_memory_bytes", estimate.memory_bytes_max},
          {"turns_known", estimate.turns_known},
          {"devices_assumed", estimate.devices_assumed},
          {"statements", std::move(statements)}};
}

}  // namespace tessera::repl
