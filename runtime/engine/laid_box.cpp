#include "runtime/engine/laid_box.hpp"

#include <algorithm>

namespace tessera::runtime {

namespace {

// The positions first, first + step, ... of one dimension.
struct Positions {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
};

// Those of a range, which begins at `start`, that lie in a device's tile.
Positions positions_in(const synth::Interval& tile, std::int64_t start, const synth::LaidRange& range) {
  const std::int64_t begin = std::max(tile.begin, start);
  const std::int64_t end = std::min(tile.end, start + range.length);
  const std::int64_t first = start + (begin - start + range.step - 1) / range.step * range.step;
  return {first, first < end ? (end - first - 1) / range.step + 1 : 0, range.step};
}

}  // namespace

BoxMove laid_box(const synth::Lay& lay, const synth::Shape& starts, const TileView& part, const synth::Box& tile,
                 const TileOut& out) {
  TileView from{part.element, {}, {}, part.data};
  TileTarget to{{}, out.data};
  const synth::Shape strides = dense_strides(out.shape);
  const std::int64_t bytes = synth::bytes_of(out.element);
  for (std::size_t d = 0; d < lay.ranges.size(); ++d) {
    const Positions own = positions_in(tile[d], starts[d], lay.ranges[d]);
    if (own.count == 0) return no_move(part.element);
    const bool repeats = part.shape[d] != out.shape[d];
    from.shape.push_back(own.count);
    from.strides.push_back(repeats ? 0 : part.strides[d] * own.step);
    if (!repeats) from.data += part.strides[d] * (own.first - tile[d].begin) * bytes;
    to.strides.push_back(strides[d] * own.step);
    to.data += strides[d] * (own.first - tile[d].begin) * bytes;
  }
  return {from, to};
}

}  // namespace tessera::runtime
