// Operations that look rows up by number.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// An id that names no row: its row-major position among the ids, and itself.
struct BadId {
  std::int64_t position = 0;
  std::int64_t id = 0;
};

// out[i.., t..] = table[ids[i..], t..], where the table's tile holds rows [first_row, first_row + its extent) of
// `rows`. Negative ids count from the end. Rows held elsewhere give the identity of sums.
std::optional<BadId> take(const TileView& table, std::int64_t first_row, std::int64_t rows, const TileView& ids,
                          const TileOut& out);

// The transpose of take: out[n, t..] is the sum of values[i.., t..] over the ids that name row n, in their row-major
// order; out's tile holds rows [first_row, first_row + its extent) of `rows`, and other rows are left out.
std::optional<BadId> scatter_add(const TileView& values, const TileView& ids, std::int64_t first_row, std::int64_t rows,
                                 const TileOut& out);

// out[i.., j] = ids[i..] == j, where the last dimension has extent `n`.
std::optional<BadId> one_hot(const TileView& ids, std::int64_t n, const TileOut& out);

}  // namespace tessera::runtime
