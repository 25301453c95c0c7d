#include "runtime/device/steps/recurrences.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <span>

#include "runtime/device/steps/scans.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/recur.hpp"
#include "runtime/kernels/axes.hpp"

namespace tessera::device {

namespace {

kernel::RecurTile recur_tile(const synth::Recur& how, const RecurPart& part) {
  const synth::Shape& shape = part.out.shape;
  const auto others = runtime::other_dimensions(shape.size(), std::span(&how.dimension, 1));
  const auto list = std::span(others.begin(), others.size());
  const std::int64_t length = shape[how.dimension];
  const std::int64_t first = how.reverse ? length - 1 : 0;
  const std::int64_t sign = how.reverse ? -1 : 1;
  const std::int64_t bytes = synth::bytes_of(part.out.element);
  const std::array<synth::Shape, 3> steps = {runtime::broadcast_strides(part.a, shape),
                                             runtime::broadcast_strides(part.b, shape), runtime::dense_strides(shape)};
  const auto lines = [&](std::size_t which) {
    return runtime::chosen_dimensions(runtime::TileView{part.out.element, shape, steps[which], nullptr}, list);
  };
  const auto start = [&](const std::byte* data, std::size_t which) {
    return address_of(data + first * steps[which][how.dimension] * bytes);
  };
  const runtime::TileView of_y = lines(2);
  kernel::RecurTile tile;
  tile.a = start(part.a.data, 0);
  tile.b = start(part.b.data, 1);
  tile.y = start(part.out.data, 2);
  tile.lines = runtime::count(of_y.shape);
  tile.length = length;
  tile.a_step = sign * steps[0][how.dimension];
  tile.b_step = sign * steps[1][how.dimension];
  tile.y_step = sign * steps[2][how.dimension];
  tile.line_walk = walk_of<3>(of_y.shape, {lines(0).strides, lines(1).strides, of_y.strides});
  return tile;
}

}  // namespace

bool can_recur(const runtime::LocalStep& step, const synth::Recur& operation) {
  return is_whole_along(step, operation.dimension);
}

// Where neighbouring lines lie side by side, they are gone along by neighbouring threads.
base::Status recur(Launcher& launcher, const synth::Recur& how, const std::vector<RecurPart>& parts) {
  TileTable<kernel::RecurTile> in_rows;
  TileTable<kernel::RecurTile> side_by_side;
  for (const RecurPart& part : parts) {
    if (runtime::is_empty(part.out.shape)) continue;
    const kernel::RecurTile tile = recur_tile(how, part);
    TileTable<kernel::RecurTile>& table = std::abs(tile.y_step) == 1 ? in_rows : side_by_side;
    table.add(tile, blocks_for(tile.lines, kernel::RunRecurrence<float, true>::kThreads));
  }
  const char* const type = type_name(parts.empty() ? synth::ElementType::f32 : parts[0].out.element);
  const auto text = [&](bool by_lines) {
    return KernelText{{"runtime/device/text/recur.hpp"}, fmt::format("RunRecurrence<{}, {}>", type, by_lines), ""};
  };
  TESSERA_TRY_STATUS(launch_tiles(launcher, text(false), in_rows, kernel::RecurArgs{}));
  return launch_tiles(launcher, text(true), side_by_side, kernel::RecurArgs{});
}

base::Status recur(Launcher& launcher, const runtime::LocalStep& step, const synth::Recur& operation) {
  std::vector<RecurPart> parts;
  const runtime::Block block = step.tiles.block(step.apply.results[0]);
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    parts.push_back({step.tiles.view(step.apply.operands[0], device), step.tiles.view(step.apply.operands[1], device),
                     step.tiles.out(step.apply.results[0], device)});
  }
  return recur(launcher, operation, parts);
}

}  // namespace tessera::device
