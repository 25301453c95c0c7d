// Tables of a launch: a row for each tile or box, with the blocks that work for it.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/text/rows.hpp"

namespace tessera::device {

// A row that begins with `first_block`, and how many blocks work for it.
template <class Row>
struct RowList {
  std::vector<Row> rows;
  std::vector<std::int64_t> blocks;  // of each row, at least 1
  std::int64_t all_blocks = 0;

  void add(Row row, std::int64_t count) {
    row.first_block = all_blocks;
    all_blocks += count;
    rows.push_back(row);
    blocks.push_back(count);
  }
};

// The table where kernels can read it.
template <class Row>
base::Result<kernel::Table> placed(Launcher& launcher, const RowList<Row>& list) {
  TESSERA_TRY(address, table_of(launcher, list.rows));
  kernel::Table table{address, static_cast<std::int64_t>(list.rows.size()), list.blocks.front()};
  for (const std::int64_t count : list.blocks) {
    if (count != table.each) table.each = 0;
  }
  return table;
}
// The same of rows whose blocks are counted here.
struct PlacedRows {
  kernel::Table table;
  std::int64_t blocks = 0;
};
template <class Row, class F>
base::Result<PlacedRows> place_rows(Launcher& launcher, std::vector<Row>& rows, const F& blocks_of) {
  PlacedRows placed;
  placed.table.count = static_cast<std::int64_t>(rows.size());
  placed.table.each = blocks_of(rows.front());
  for (Row& row : rows) {
    const std::int64_t blocks = blocks_of(row);
    if (blocks != placed.table.each) placed.table.each = 0;
    row.first_block = placed.blocks;
    placed.blocks += blocks;
  }
  TESSERA_TRY(address, table_of(launcher, rows));
  placed.table.rows = address;
  return placed;
}

}  // namespace tessera::device
