#include "repl/render/table.hpp"

#include <algorithm>

#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kBetweenColumns = "  ";

bool is_remark(const Row& row, std::size_t width) { return row.size() == 2 && width > 2; }

std::vector<int> column_widths(const std::vector<Row>& rows, std::size_t width) {
  std::vector<int> result(width, 0);
  for (const Row& row : rows) {
    const std::size_t counted = is_remark(row, width) ? 1 : row.size();
    for (std::size_t i = 0; i < counted; ++i) result[i] = std::max(result[i], columns(row[i]));
  }
  return result;
}

}  // namespace

std::string table(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.size());
  const std::vector<int> widths = column_widths(rows, width);
  std::string result;
  for (const Row& row : rows) {
    std::string line = padded(row.empty() ? "" : row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += kBetweenColumns;
      line += is_remark(row, width) ? printable(row[i]) : padded_left(row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  }
  return result;
}

}  // namespace tessera::repl
