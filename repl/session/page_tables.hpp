// The tables in the pages of the manual, for what looks a word up in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::repl {

// A row of a table with the heading of its table. A cell is what stands between two bars, without the blanks around it.
struct TableRow {
  std::vector<std::string> heading;
  std::vector<std::string> cells;
};

// Of all tables of a page, in order. A table ends where a line is empty.
std::vector<TableRow> table_rows(std::string_view page);

}  // namespace tessera::repl
