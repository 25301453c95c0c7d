// Boxes side by side, drawn with characters.
#pragma once

#include <string>
#include <vector>

namespace tessera::runtime {

struct Grid {
  std::vector<std::string> column_labels;
  std::vector<std::string> row_labels;
  // The least inner sizes of every column and row; contents widen them.
  std::vector<std::size_t> widths;
  std::vector<std::size_t> heights;
  // Lines of text, by row, then column.
  std::vector<std::vector<std::vector<std::string>>> cells;
};

// Ends in a newline.
std::string draw(const Grid& grid);

}  // namespace tessera::runtime
