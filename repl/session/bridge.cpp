#include "repl/session/bridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "repl/session/page_tables.hpp"
#include "tessera/analysis.hpp"

namespace tessera::repl {

namespace {

constexpr std::size_t kRowsShown = 4;

// How a cell names a word: not at all, among arguments, or as what is called or stands for itself.
enum class Naming { none, beside, itself };

bool is_in_name(char c) {
  return c == '_' || c == '.' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

// Of `np.sum(a, axis=0)` by `np.sum`, `sum`, `axis`.
Naming naming_in_code(std::string_view code, std::string_view word) {
  Naming best = Naming::none;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::find_if_not(code.begin() + begin, code.end(), is_in_name) - code.begin();
    const std::string_view name = code.substr(begin, end - begin);
    if (name == word || (name.ends_with(word) && name[name.size() - word.size() - 1] == '.')) {
      const bool is_itself = end == code.size() || code[end] == '(';
      best = std::max(best, is_itself ? Naming::itself : Naming::beside);
    }
    begin = std::max(end, begin + 1);
  }
  return best;
}

// Whatever stands between backticks in a cell, and the words of a cell that has none: `halo exchange`.
Naming naming_in_cell(std::string_view cell, std::string_view word) {
  Naming best = Naming::none;
  for (bool is_code = false;; is_code = !is_code) {
    const std::size_t tick = cell.find('`');
    if (is_code) best = std::max(best, naming_in_code(cell.substr(0, tick), word));
    if (tick == std::string_view::npos) return best;
    cell.remove_prefix(tick + 1);
  }
}

bool is_ours(std::string_view heading) { return heading.starts_with("here") || heading == "by hand"; }

Naming naming_in_row(const TableRow& row, std::string_view word) {
  Naming best = Naming::none;
  for (std::size_t column = 0; column < row.cells.size(); ++column) {
    if (!is_ours(row.heading[column])) best = std::max(best, naming_in_cell(row.cells[column], word));
  }
  return best;
}

std::string told(const TableRow& row) {
  std::string text;
  for (std::size_t column = 0; column < row.cells.size(); ++column) {
    const std::string& heading = row.heading[column];
    if (row.cells[column].empty()) continue;
    text += fmt::format("  {}: {}\n", heading == "word" ? "elsewhere" : heading, row.cells[column]);
  }
  return text;
}

}  // namespace

std::optional<std::string> bridge_entry(std::string_view word) {
  if (word.empty()) return std::nullopt;
  const std::vector<TableRow> rows = table_rows("bridge");
  std::vector<Naming> namings;
  for (const TableRow& row : rows) namings.push_back(naming_in_row(row, word));
  const Naming best = *std::ranges::max_element(namings);
  if (best == Naming::none) {
    const auto help = written_here(word);
    return help ? std::optional(fmt::format("{}: {}\n", word, *help)) : std::nullopt;
  }
  std::string text = fmt::format("{} (docs/bridge.md)\n", word);
  std::size_t shown = 0;
  for (std::size_t row = 0; row < rows.size() && shown < kRowsShown; ++row) {
    if (namings[row] != best) continue;
    text += told(rows[row]);
    ++shown;
  }
  return text;
}

}  // namespace tessera::repl
