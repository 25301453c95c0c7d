// Operations that look rows up by number, and numbers up among others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/kernels/ids.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// The rows that ids name, as numbers from 0 on, in row-major order of the ids; negative ids count from the end. If the
// work is given up meanwhile, they may be anything.
std::optional<BadId> read_rows(const TileView& ids, std::int64_t rows, std::vector<std::int64_t>& into);

// The rows of a table's tile, one by one.
class TableRows {
 public:
  TableRows(const TileView& table, std::int64_t first_row);

  bool has(std::int64_t number) const { return number >= first_row_ && number < first_row_ + count_; }
  std::int64_t row_bytes() const { return length_ * synth::bytes_of(row_.element); }
  std::int64_t row_length() const { return length_; }
  const synth::Shape& row_shape() const { return row_.shape; }
  // A row that it has; and its elements, dense.
  TileView row(std::int64_t number) const;
  void copy(std::int64_t number, std::byte* to) const;
  // A box of its elements, likewise.
  void copy_part(std::int64_t number, const synth::Box& box, std::byte* to) const;

 private:
  TileView row_;  // the first
  std::int64_t first_row_;
  std::int64_t count_;
  std::int64_t length_;
  std::int64_t step_bytes_;  // from a row to the next
  bool is_plain_;
};

// out[i.., t..] = table[ids[i..], t..], where the table's tile holds rows [first_row, first_row + its extent) of
// `rows`. Negative ids count from the end. Rows held elsewhere give the identity of sums.
std::optional<BadId> take(const TileView& table, std::int64_t first_row, std::int64_t rows, const TileView& ids,
                          const TileOut& out);

// The transpose of take: out[n, t..] is the sum of values[i.., t..] over the ids that name row n, in their row-major
// order; out's tile holds rows [first_row, first_row + its extent) of `rows`, and other rows are left out.
std::optional<BadId> scatter_add(const TileView& values, const TileView& ids, std::int64_t first_row, std::int64_t rows,
                                 const TileOut& out);

// The same along each line of the last dimension: out[l.., i] = table[l.., ids[l.., i]], where the table's tile holds
// places [first, first + its last extent) of the `places` that a line has. Places held elsewhere give the identity of
// sums.
std::optional<BadId> take_along(const TileView& table, std::int64_t first, std::int64_t places, const TileView& ids,
                                const TileOut& out);

// The transpose of it: out[l.., n] is the sum of values[l.., i] over all i with ids[l.., i] = n, in their order.
std::optional<BadId> scatter_add_along(const TileView& values, const TileView& ids, std::int64_t first,
                                       std::int64_t places, const TileOut& out);

// Adds the part of it that lies in places `held` to sums of the same lines, which `out` has from the first of them on.
// `named` has the place of each value, in row-major order.
void add_along(const TileView& values, std::span<const std::int64_t> named, const synth::Interval& held,
               const TileTarget& out);
// Adds elements, one behind the other, to those of `out` of these row-major numbers.
void add_elements(const std::byte* values, std::span<const std::int64_t> numbers, const TileOut& out);

void fill_zeros(const TileOut& out);

// Adds row i of `values`, rows one behind the other, to the row of `out` of the number rows[i], one after the other;
// `out` holds rows from first_row on, and numbers of others are passed over.
void add_rows(const TileView& values, std::span<const std::int64_t> rows, std::int64_t first_row, const TileOut& out);

// out[i..] = how many of the edges, which ascend, are less than values[i..]; with `right`, how many are not greater.
void search(const TileView& edges, const TileView& values, bool right, const TileOut& out);

// out[i.., j] = ids[i..] == j, where the last dimension has extent `n`.
std::optional<BadId> one_hot(const TileView& ids, std::int64_t n, const TileOut& out);

}  // namespace tessera::runtime
