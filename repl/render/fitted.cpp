#include "repl/render/fitted.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

using Blanks = std::vector<bool>;  // by column of the screen

// A table has at least this many gaps between its columns, each of two blanks or more.
constexpr std::size_t kGapsMin = 2;

// The column that a plan can be read without.
constexpr std::string_view kSpared = "MPI";

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Blanks blanks_of(std::string_view line) {
  Blanks blanks;
  for (const Cell& cell : cells(line))
    blanks.insert(blanks.end(), static_cast<std::size_t>(cell.columns), cell.text == " ");
  return blanks;
}

bool is_blank(const Blanks& blanks, std::size_t at) { return at >= blanks.size() || blanks[at]; }

// Blank where both are.
Blanks common_blanks(const Blanks& a, const Blanks& b) {
  Blanks result(std::max(a.size(), b.size()));
  for (std::size_t at = 0; at < result.size(); ++at) result[at] = is_blank(a, at) && is_blank(b, at);
  return result;
}

// The begins of a table's columns: its left edge, then the end of each gap of two blanks or more.
std::vector<std::size_t> column_begins(const Blanks& blanks) {
  std::vector<std::size_t> begins;
  std::size_t gap = 2;
  for (std::size_t at = 0; at < blanks.size(); ++at) {
    if (blanks[at]) {
      ++gap;
      continue;
    }
    if (begins.empty() || gap >= 2) begins.push_back(at);
    gap = 0;
  }
  return begins;
}

// Neither in colour nor of a picture drawn in boxes, which U+2500 and those after it begin with these bytes.
bool is_plain(std::string_view line) {
  return line.find('\x1b') == std::string_view::npos && line.find("\xe2\x94") == std::string_view::npos;
}

// Lines of one table.
struct Table {
  std::size_t lines = 0;
  std::vector<std::size_t> begins;  // of its columns
};

// The table that begins with the first line; no lines if there is none. A line belongs to it if it leaves all gaps.
Table table_at(const std::vector<std::string_view>& lines, std::size_t first) {
  if (!is_plain(lines[first])) return {};
  Blanks blanks = blanks_of(lines[first]);
  if (column_begins(blanks).size() <= kGapsMin) return {};
  std::size_t end = first + 1;
  for (; end < lines.size() && is_plain(lines[end]) && !lines[end].empty(); ++end) {
    Blanks with = common_blanks(blanks, blanks_of(lines[end]));
    if (column_begins(with).size() < column_begins(blanks).size()) break;
    blanks = std::move(with);
  }
  return end - first < 2 ? Table{} : Table{end - first, column_begins(blanks)};
}

// The columns [begin, end) of a line.
std::string between_columns(std::string_view line, std::size_t begin, std::size_t end) {
  std::string result;
  std::size_t at = 0;
  for (const Cell& cell : cells(line)) {
    if (at >= begin && at < end) result += cell.text;
    at += static_cast<std::size_t>(cell.columns);
  }
  return result;
}

// The place of the column of that name in the table's first line; nothing if there is none, or it is the first.
std::optional<std::size_t> column_of(std::string_view name, std::string_view head, const Table& table) {
  for (std::size_t c = 1; c < table.begins.size(); ++c) {
    const std::size_t end = c + 1 < table.begins.size() ? table.begins[c + 1] : static_cast<std::size_t>(columns(head));
    const std::string cell = between_columns(head, table.begins[c], end);
    if (cell.substr(0, cell.find_last_not_of(' ') + 1) == name) return c;
  }
  return std::nullopt;
}

// The lines of a table without one of its columns, which is not the first.
std::vector<std::string> without_column(const std::vector<std::string_view>& lines, std::size_t first,
                                        const Table& table, std::size_t column) {
  std::vector<std::string> result;
  for (std::size_t i = first; i < first + table.lines; ++i) {
    const std::string before = between_columns(lines[i], 0, table.begins[column]);
    const std::string after = column + 1 < table.begins.size()
                                  ? between_columns(lines[i], table.begins[column + 1], lines[i].size())
                                  : std::string();
    const std::string line = before + after;
    result.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return result;
}

// `  0 |000111...|`: what stands before the bar, and what between the two.
struct TimelineRow {
  std::string_view stage;
  std::string_view columns;
};
std::optional<TimelineRow> timeline_row(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos || bar == 0 || bar + 1 >= line.size() || !line.ends_with('|')) return std::nullopt;
  const TimelineRow row{line.substr(0, bar), line.substr(bar + 1, line.size() - bar - 2)};
  const bool is_number = row.stage.find_first_not_of(" 0123456789") == std::string_view::npos;
  return is_number && row.columns.find(' ') == std::string_view::npos ? std::optional(row) : std::nullopt;
}

// The row with fewer columns: each shows what is in the middle of those that it stands for.
std::string narrowed(const TimelineRow& row, std::size_t width) {
  const std::size_t bars = row.stage.size() + 2;
  const std::size_t wanted = width > bars ? width - bars : 1;
  std::string result = std::string(row.stage) + "|";
  for (std::size_t c = 0; c < wanted; ++c) result += row.columns[(2 * c + 1) * row.columns.size() / (2 * wanted)];
  return result + "|";
}

std::string without_blanks_behind(const std::string& line) { return line.substr(0, line.find_last_not_of(' ') + 1); }

std::string fold_table(const std::vector<std::string_view>& lines, std::size_t first, const Table& table,
                       std::size_t width) {
  std::size_t right = 0;
  for (std::size_t i = first; i < first + table.lines; ++i)
    right = std::max(right, static_cast<std::size_t>(columns(lines[i])));
  const std::size_t head = table.begins[1];  // what each part begins with: the first column
  std::string result;
  const auto end_of = [&](std::size_t column) {
    return column + 1 < table.begins.size() ? table.begins[column + 1] : right + 2;
  };
  bool is_apart = false;  // the first column leaves another no room, and stands on lines of its own
  for (std::size_t c = 1; c < table.begins.size(); ++c) is_apart |= head + end_of(c) - 2 - table.begins[c] > width;
  constexpr std::size_t kDeeper = 4;
  const std::size_t before = is_apart ? table.begins[0] + kDeeper : head;
  for (std::size_t from = 1; from < table.begins.size();) {
    std::size_t to = from + 1;
    while (to < table.begins.size() && before + end_of(to) - 2 - table.begins[from] <= width) ++to;
    for (std::size_t i = first; i < first + table.lines; ++i) {
      const std::string cells_of_row = between_columns(lines[i], table.begins[from], end_of(to - 1));
      // A row that has nothing in these columns was there already.
      const bool is_empty = cells_of_row.find_first_not_of(' ') == std::string::npos;
      if (from > 1 && is_empty) continue;
      const std::string name = between_columns(lines[i], 0, head);
      if (is_apart) result += wrapped_at_words(without_blanks_behind(name), static_cast<int>(width)) + "\n";
      if (is_apart && is_empty) continue;
      result += without_blanks_behind((is_apart ? std::string(before, ' ') : name) + cells_of_row) + "\n";
    }
    from = to;
  }
  return result;
}

// A table that is too wide: without what can be spared, then in parts.
std::string fitted_table(const std::vector<std::string_view>& lines, std::size_t first, const Table& table, int width) {
  const auto spared = column_of(kSpared, lines[first], table);
  if (!spared) return fold_table(lines, first, table, static_cast<std::size_t>(width));
  std::string text;
  for (const std::string& line : without_column(lines, first, table, *spared)) text += line + "\n";
  return fitted(text, width);
}

std::string fitted_line(std::string_view line, int width) {
  if (const auto row = timeline_row(line)) return narrowed(*row, static_cast<std::size_t>(width));
  return wrapped_at_words(line, width);
}

}  // namespace

std::string fitted(std::string_view text, int width) {
  const std::vector<std::string_view> lines = lines_of_text(text);
  const auto is_wide = [width](std::string_view line) { return is_plain(line) && columns(line) > width; };
  std::string result;
  for (std::size_t i = 0; i < lines.size();) {
    const Table table = table_at(lines, i);
    const std::size_t end = i + std::max<std::size_t>(table.lines, 1);
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(i);
    if (table.lines > 0 && std::any_of(begin, lines.begin() + static_cast<std::ptrdiff_t>(end), is_wide)) {
      result += fitted_table(lines, i, table, width);
      i = end;
      continue;
    }
    for (; i < end; ++i) result += (is_wide(lines[i]) ? fitted_line(lines[i], width) : std::string(lines[i])) + "\n";
  }
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

std::string with_fitted_plans(std::string_view text, int width) {
  const auto begins_a_line = [text](std::string_view words) {
    const std::size_t at = text.find(words);
    return at != std::string_view::npos && (at == 0 || text[at - 1] == '\n');
  };
  return begins_a_line("asked for by ") || begins_a_line("pipeline of ") ? fitted(text, width) : std::string(text);
}

}  // namespace tessera::repl
