#include "repl/session/page_tables.hpp"

#include <algorithm>
#include <utility>

#include "repl/session/pages.hpp"

namespace tessera::repl {

namespace {

using Cells = std::vector<std::string>;

std::string without_blanks(std::string_view cell) {
  const std::size_t begin = std::min(cell.find_first_not_of(' '), cell.size());
  return std::string(cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
}

// Of `| a | b \| c |` the cells `a` and `b | c`; none of a line that is no row.
Cells cells_of(std::string_view line) {
  Cells cells;
  std::string cell;
  for (std::size_t at = line.starts_with("| ") ? 1 : line.size(); at < line.size(); ++at) {
    if (line.substr(at).starts_with("\\|")) {
      cell += line[++at];
    } else if (line[at] != '|') {
      cell += line[at];
    } else {
      cells.push_back(without_blanks(std::exchange(cell, {})));
    }
  }
  return cells;
}

}  // namespace

std::vector<TableRow> table_rows(std::string_view page) {
  std::vector<TableRow> rows;
  Cells heading;
  std::string_view text = find_page(page)->text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Cells cells = cells_of(text.substr(0, end));
    if (end == 0) {
      heading.clear();
    } else if (!cells.empty() && heading.empty()) {
      heading = std::move(cells);
    } else if (!cells.empty()) {
      rows.push_back({heading, std::move(cells)});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

}  // namespace tessera::repl
