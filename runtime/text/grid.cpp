#include "runtime/text/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::runtime {

namespace {

// No line ends in blanks.
void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::string draw(const Grid& grid) {
  std::vector<std::size_t> widths = grid.widths;
  std::vector<std::size_t> heights = grid.heights;
  std::size_t margin = 0;
  for (std::size_t r = 0; r < heights.size(); ++r) {
    margin = std::max(margin, grid.row_labels[r].size());
    for (std::size_t c = 0; c < widths.size(); ++c) {
      heights[r] = std::max(heights[r], grid.cells[r][c].size());
      widths[c] = std::max(widths[c], grid.column_labels[c].size());
      for (const std::string& line : grid.cells[r][c]) widths[c] = std::max(widths[c], line.size());
    }
  }
  std::string header(margin + 1, ' ');
  std::string rule(margin + 1, ' ');
  for (std::size_t c = 0; c < widths.size(); ++c) {
    header += fmt::format(" {:^{}}", grid.column_labels[c], widths[c] + 2);
    rule += "+" + std::string(widths[c] + 2, '-');
  }
  std::string text;
  add_line(text, header);
  add_line(text, rule + "+");
  for (std::size_t r = 0; r < heights.size(); ++r) {
    for (std::size_t i = 0; i < heights[r]; ++i) {
      std::string line = fmt::format("{:>{}} ", i == 0 ? grid.row_labels[r] : "", margin);
      for (std::size_t c = 0; c < widths.size(); ++c) {
        const auto& cell = grid.cells[r][c];
        line += fmt::format("| {:<{}} ", i < cell.size() ? cell[i] : "", widths[c]);
      }
      add_line(text, line + "|");
    }
    add_line(text, rule + "+");
  }
  return text;
}

}  // namespace tessera::runtime
