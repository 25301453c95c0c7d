// How a tile is reduced: along rows of elements, or along columns.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/device/steps/nested.hpp"
#include "runtime/device/text/reduce_columns.hpp"
#include "runtime/device/text/reduce_rows.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::device {

// A tile's dimensions: those that stay (array 0: the operand, 1: the result) and those that are reduced, both
// row-major.
struct ReducedTile {
  Nested kept, reduced;
  bool along_rows = true;  // is the innermost dimension reduced?

  std::int64_t results() const { return kept.count(); }
  std::int64_t length() const { return reduced.count(); }
};
ReducedTile reduced_tile(const runtime::TileView& operand, std::span<const std::uint8_t> dimensions);

kernel::ReduceWalk walk_along(const Nested& nest, std::size_t dimensions);

// So many elements, which 16 bytes hold, are read together; else one. Staged: through shared memory.
struct RowsPlan {
  bool staged = false;
  int own = 1;
  kernel::RowLie lie = kernel::RowLie::dense;
  kernel::ReduceRowsTile tile{};
  std::int64_t blocks = 0;
};
RowsPlan rows_plan(const ReducedTile& tile, const runtime::TileView& operand, int processors);

struct ColumnsPlan {
  int own = 1;
  bool even = true;
  kernel::ReduceColumnsTile tile{};
  std::int64_t blocks = 0;
};
ColumnsPlan columns_plan(const ReducedTile& tile, const runtime::TileView& operand, int processors);

}  // namespace tessera::device
