#include "runtime/kernels/spread.hpp"

#include <cstring>

#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/reduce.hpp"

namespace tessera::runtime {

namespace {

// The rows of a box that stay together: along the last dimension where it is not as long as the tile, and those behind.
struct BoxRows {
  std::size_t dimension;
  std::int64_t length;  // elements of one
  std::int64_t count;
};

BoxRows rows_of(const synth::Shape& tile, const synth::Shape& box, const synth::Shape& strides) {
  std::size_t last = box.size() - 1;
  while (last > 0 && box[last] == tile[last]) --last;
  BoxRows rows{last, box[last] * strides[last], 1};
  for (std::size_t d = 0; d < last; ++d) rows.count *= box[d];
  return rows;
}

// Where a row of the box begins in the tile.
std::int64_t place_of(const BoxRows& rows, std::int64_t row, const synth::Shape& begin, const synth::Shape& box,
                      const synth::Shape& strides) {
  std::int64_t at = begin[rows.dimension] * strides[rows.dimension];
  for (std::size_t d = rows.dimension; d-- > 0; row /= box[d]) at += (begin[d] + row % box[d]) * strides[d];
  return at;
}

void fill_between(const TileOut& out, std::int64_t begin, std::int64_t end) {
  const std::int64_t bytes = synth::bytes_of(out.element);
  if (begin < end) fill_identity(synth::ReduceOp::sum, TileOut{out.element, {end - begin}, out.data + begin * bytes});
}

}  // namespace

// From the last row to the first: what is overwritten has been moved before.
void spread(const TileOut& out, const synth::Shape& begin, const synth::Shape& shape) {
  if (is_empty(shape)) return fill_identity(synth::ReduceOp::sum, out);
  if (shape == out.shape) return;
  const std::int64_t bytes = synth::bytes_of(out.element);
  const synth::Shape strides = dense_strides(out.shape);
  const BoxRows rows = rows_of(out.shape, shape, strides);
  std::int64_t end = count(out.shape);
  for (std::int64_t row = rows.count; row-- > 0 && !is_given_up();) {
    const std::int64_t at = place_of(rows, row, begin, shape, strides);
    std::memmove(out.data + at * bytes, out.data + row * rows.length * bytes,
                 static_cast<std::size_t>(rows.length * bytes));
    fill_between(out, at + rows.length, end);
    end = at;
  }
  fill_between(out, 0, end);
}

}  // namespace tessera::runtime
