// Plain tables.
#pragma once

#include <string>
#include <vector>

namespace tessera::repl {

using Row = std::vector<std::string>;

// Columns two blanks apart; the first one is aligned left, the others right. A row of two cells in a wider table is a
// name with a remark, which takes the rest of its line.
std::string table(const std::vector<Row>& rows);

}  // namespace tessera::repl
