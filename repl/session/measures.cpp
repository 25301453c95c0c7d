// `:mem`, `:stats`, `:time` and `:trace`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "repl/process/interrupt.hpp"
#include "repl/render/profile.hpp"
#include "repl/render/table.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/render/units.hpp"
#include "repl/session/expressions.hpp"

namespace tessera::repl {

namespace {

constexpr int kStatementColumns = 40;
constexpr std::size_t kRunsMax = 1000;
constexpr double kSecondsEnough = 0.5;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Row statistics_row(const StatementStatistics& one) {
  return {beginning(one.place.line_text, kStatementColumns),
          fmt::format("{}:{}", one.place.file, one.place.line),
          fmt::format("{}", one.steps),
          bytes_text(one.received_bytes),
          bytes_text(one.peak_bytes),
          seconds_text(one.seconds)};
}

// The expression at a place, or its beginning.
std::string expression_text(const Place& place) {
  std::string result;
  std::uint32_t column = place.line_text_column - 1;
  for (const char c : place.line_text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++column;  // a code point begins
    if (column >= place.column && column - place.column < place.length) result += c;
  }
  return beginning(result, kStatementColumns);
}

// Lists what the last input kept for backward passes.
std::string kept_table(const std::vector<KeptValue>& kept) {
  std::vector<Row> rows = {{"kept for the gradient of", "the value of", "type", "each device"}};
  std::int64_t tiles = 0;
  for (const KeptValue& one : kept) {
    const std::string times = one.count > 1 ? fmt::format(", {} times", one.count) : "";
    rows.push_back({fmt::format("{} at line {}", expression_text(one.read), one.read.line),
                    expression_text(one.made) + times, one.type, bytes_text(one.tile_bytes)});
    tiles += one.tile_bytes;
  }
  rows.push_back({"in all", "", "", bytes_text(tiles)});
  return table(rows);
}

// Seconds of one run after the other, until enough of them say what is usual; none where one failed.
std::vector<double> seconds_of_runs(const CommandCall& call, const CheckedExpression& expression) {
  std::vector<double> all;
  const double begin = now();
  const auto is_enough = [&] { return now() - begin >= kSecondsEnough || all.size() >= kRunsMax; };
  while (all.empty() || !call.interpreter.ranks().first_says(is_enough)) {
    const double before = now();
    if (!value_of(call, expression)) return {};
    all.push_back(now() - before);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

bool run_mem(const CommandCall& call) {
  const State& state = call.interpreter.state();
  std::vector<Row> rows = {{"name", "type", "each device", "all devices"}};
  std::int64_t tiles = 0;
  std::int64_t total = 0;
  for (const Binding& binding : state.session.names()) {
    const Placement& placement = binding.placement;
    rows.push_back({binding.name, binding.type, bytes_text(placement.tile_bytes), bytes_text(placement.total_bytes)});
    tiles += placement.tile_bytes;
    total += placement.total_bytes;
  }
  rows.push_back({"in all", "", bytes_text(tiles), bytes_text(total)});
  call.out(table(rows));
  if (const Entry* last = state.entries.last(); last != nullptr) {
    call.out(fmt::format("the last input: at most {} alive on a device, {} reserved for what it made\n",
                         bytes_text(last->peak_bytes), bytes_text(last->arena_bytes)));
  }
  if (const Entry* last = state.entries.last(); last != nullptr && !last->kept.empty())
    call.out(kept_table(last->kept));
  if (const std::size_t kept = call.interpreter.undoable(); kept > 0) {
    call.out(fmt::format("arrays that names held before are kept for :undo, {} back\n",
                         counted(static_cast<std::int64_t>(kept), "input", "inputs")));
  }
  return true;
}

bool run_stats(const CommandCall& call) {
  std::vector<StatementProfile> profile;
  for (const Entry* entry : call.interpreter.state().entries.in_order())
    profile.insert(profile.end(), entry->profile.begin(), entry->profile.end());
  call.out(profile_table(profile));
  std::vector<Row> rows = {{"statement", "line", "steps", "received", "peak", "time"}};
  std::int64_t received = 0;
  for (const Entry* entry : call.interpreter.state().entries.in_order()) {
    for (const StatementStatistics& one : entry->statistics) {
      if (one.received_bytes == 0) continue;
      rows.push_back(statistics_row(one));
      received += one.received_bytes;
    }
  }
  if (rows.size() == 1) {
    call.out("no statement has communicated yet\n");
    return true;
  }
  rows.push_back({"in all", "", "", bytes_text(received), "", ""});
  call.out(table(rows));
  call.out("peak counts all arrays alive in the run; in :plan and :why one change alone\n");
  return true;
}

bool run_time(const CommandCall& call) {
  const auto expression = check_expression(call, call.argument_at);
  if (!expression) return false;
  const std::vector<double> seconds = seconds_of_runs(call, *expression);
  if (seconds.empty()) return false;
  if (seconds.size() == 1) {
    call.out(fmt::format("one cold run: {}\n", seconds_text(seconds.front())));
    return true;
  }
  call.out(fmt::format("best {}, median {} of {}\n", seconds_text(seconds.front()),
                       seconds_text(seconds[seconds.size() / 2]),
                       counted(static_cast<std::int64_t>(seconds.size()), "run", "runs")));
  return true;
}

bool run_trace(const CommandCall& call) {
  if (!call.argument.empty()) return call.interpreter.begin_trace(std::string(call.argument));
  if (!call.interpreter.traces()) return call.interpreter.complain("nothing is traced\n  help: :trace FILE begins");
  const auto trace = call.interpreter.end_trace();
  if (!trace) return false;
  call.out(fmt::format("{} written to {}\n", counted(trace->slices, "slice", "slices"), trace->path));
  return true;
}

}  // namespace tessera::repl
