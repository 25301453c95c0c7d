// Boxes that are laid over arrays where they lie, and where they must lie.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/wide.hpp"
#include "runtime/execute/devices.hpp"
#include "runtime/execute/local.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/boxes.hpp"

namespace tessera::runtime {

base::Diagnostic out_of_range(std::int64_t index, std::int64_t length, std::int64_t extent, std::size_t dimension) {
  const std::int64_t piece = std::min(length, extent);
  const std::string where = fmt::format("dimension {} has {} elements", dimension, std::max(length, extent));
  const std::string why = piece == 1 ? where : fmt::format("{} elements are wanted from there, and {}", piece, where);
  return base::make(Kind::index_out_of_range, index, why);
}

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

// Where each range begins; a box that does not lie inside of the result is a failure.
base::Result<synth::Shape> starts_of(const LocalStep& step, const synth::Lay& lay) {
  const synth::Shape& extents = step.storage.type(step.apply.results[0]).shape();
  synth::Shape starts;
  for (std::size_t d = 0; d < lay.ranges.size(); ++d) {
    const synth::LaidRange& range = lay.ranges[d];
    std::int64_t start = range.start;
    if (range.scalar >= 0) {
      const synth::RegisterId id = step.apply.operands[static_cast<std::size_t>(range.scalar)];
      TESSERA_TRY(given, step.storage.scalar<std::int64_t>(id));
      start = given < 0 && range.wraps ? given + extents[d] : given;
      if (start < 0 || static_cast<base::Wide>(start) + range.length > extents[d])
        return out_of_range(given, range.length, extents[d], d);
    }
    starts.push_back(start);
  }
  return starts;
}

// Copies the part's elements into the box, as far as it lies in the tile.
void lay_part(const synth::Lay& lay, const synth::Shape& starts, const TileView& part, const synth::Box& tile,
              const TileOut& out) {
  TileView from{part.element, {}, {}, part.data};
  TileTarget to{{}, out.data};
  const synth::Shape strides = dense_strides(out.shape);
  const std::int64_t bytes = synth::bytes_of(out.element);
  for (std::size_t d = 0; d < lay.ranges.size(); ++d) {
    const Positions own = positions_in(tile[d], starts[d], lay.ranges[d]);
    if (own.count == 0) return;
    const bool repeats = part.shape[d] != out.shape[d];
    from.shape.push_back(own.count);
    from.strides.push_back(repeats ? 0 : part.strides[d] * own.step);
    if (!repeats) from.data += part.strides[d] * (own.first - tile[d].begin) * bytes;
    to.strides.push_back(strides[d] * own.step);
    to.data += strides[d] * (own.first - tile[d].begin) * bytes;
  }
  copy_elements(from, to);
}

}  // namespace

// The result may have the base's memory.
base::Status run_operation(const LocalStep& step, const synth::Lay& operation) {
  TESSERA_TRY(starts, starts_of(step, operation));
  const synth::RegisterId result = step.apply.results[0];
  const auto lay = [&](std::size_t device) -> Failure {
    const TileOut out = step.storage.out(result, device);
    const TileView base = step.storage.view(step.apply.operands[0], device);
    if (base.data != out.data) copy_elements(base, out);
    lay_part(operation, starts, step.storage.view(step.apply.operands[1], device),
             step.storage.tiles(result).boxes[device], out);
    return std::nullopt;
  };
  return on_devices(step.storage.block(result), work_of(step), step.times, lay);
}

}  // namespace tessera::runtime
