// Which row of a launch's table a block works for. Rows begin with their first block, `first_block`, ascending from 0.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"

namespace tessera::kernel {

// The row of a table that a block belongs to: rows ascend by their `first_block`, the first of which is 0.
template <class Row>
int row_of(const Row* rows, int count, std::int64_t block) {
  int begin = 0;
  for (int left = count; left > 1;) {
    const int half = left / 2;
    const bool is_behind = rows[begin + half].first_block <= block;
    begin = is_behind ? begin + half : begin;
    left = is_behind ? left - half : half;
  }
  return begin;
}

struct Table {
  std::uint64_t rows = 0;  // their address
  std::int64_t count = 0;
  std::int64_t each = 0;  // blocks of every row, if all have equally many; else 0
};

// The address of the row; all threads of a block read the same places. A thread that keeps it from turn to turn keeps
// the number: a compiler for GPUs does not come to an end with a pointer there.
template <class Row>
std::uint64_t row_address(const Table& table, std::int64_t block) {
  const int number = table.each != 0
                         ? static_cast<int>(static_cast<std::uint32_t>(block) / static_cast<std::uint32_t>(table.each))
                         : row_of(memory<const Row>(table.rows), static_cast<int>(table.count), block);
  return table.rows + static_cast<std::uint64_t>(number) * sizeof(Row);
}
template <class Row>
const Row& row_of_block(const Table& table, std::int64_t block) {
  return *memory<const Row>(row_address<Row>(table, block));
}

}  // namespace tessera::kernel
