#include "repl/render/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "repl/render/table.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

constexpr double kSecondsAtWorkMin = 0.1;  // less is the clock's
constexpr double kSecondsMin = 1;          // of waiting, too
constexpr double kShareMin = 0.01;
constexpr int kStatementColumns = 22;

double seconds_at_work(const StatementProfile& one) { return one.computing.most + one.moving.most; }
double seconds_of(const StatementProfile& one) { return seconds_at_work(one) + one.waiting.most; }

// `12.3 ms`; of several ranks `10 to 12.3 ms`, if they differ.
std::string range_text(const SecondsOverRanks& seconds) {
  std::string least = seconds_text(seconds.least);
  const std::string most = seconds_text(seconds.most);
  if (least == most) return most;
  const std::string unit = most.substr(most.rfind(' '));
  if (seconds.least == 0 || least.ends_with(unit)) least.resize(least.rfind(' '));
  return fmt::format("{} to {}", least, most);
}

// Lines of one file need not name it.
bool share_a_file(const std::vector<StatementProfile>& statements) {
  return std::all_of(statements.begin(), statements.end(),
                     [&](const StatementProfile& one) { return one.place.file == statements.front().place.file; });
}

Row row_of(const StatementProfile& one, double all, bool names_file) {
  const std::string line = fmt::format("{}", one.place.line);
  return {beginning(one.place.line_text, kStatementColumns),
          names_file ? fmt::format("{}:{}", one.place.file, line) : line,
          fmt::format("{:.0f}%", 100 * seconds_of(one) / all),
          range_text(one.computing),
          range_text(one.moving),
          range_text(one.waiting)};
}

}  // namespace

std::string profile_table(const std::vector<StatementProfile>& statements) {
  double all = 0;
  double at_work = 0;
  for (const StatementProfile& one : statements) {
    all += seconds_of(one);
    at_work += seconds_at_work(one);
  }
  if (at_work < kSecondsAtWorkMin && all < kSecondsMin) return "";
  std::vector<Row> rows = {{"statement", "line", "time", "computing", "moving", "waiting"}};
  const bool names_file = !share_a_file(statements);
  double rest = 0;
  std::int64_t others = 0;
  for (const StatementProfile& one : statements) {
    if (seconds_of(one) >= kShareMin * all) {
      rows.push_back(row_of(one, all, names_file));
    } else {
      rest += seconds_of(one);
      ++others;
    }
  }
  if (others > 0) {
    rows.push_back({counted(others, "other", "others"), "", fmt::format("{:.0f}%", 100 * rest / all), "", "", ""});
  }
  return table(rows);
}

}  // namespace tessera::repl
