#include "runtime/device/steps/scans.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/scan.hpp"
#include "runtime/kernels/axes.hpp"

namespace tessera::device {

namespace {

using ScanTable = TileTable<kernel::ScanTile>;
using SumOfFloats = runtime::Combine<synth::ReduceKind::sum, float>;

kernel::ScanTile scan_tile(const synth::Scan& how, const ScanPart& part) {
  const auto others = runtime::other_dimensions(part.operand.shape.size(), std::span(&how.dimension, 1));
  const auto list = std::span(others.begin(), others.size());
  const runtime::TileView from = runtime::chosen_dimensions(part.operand, list);
  const runtime::TileView to = runtime::chosen_dimensions(runtime::dense_view(part.out), list);
  const std::int64_t from_step = part.operand.strides[how.dimension];
  const std::int64_t to_step = runtime::dense_strides(part.out.shape)[how.dimension];
  const std::int64_t bytes = synth::bytes_of(part.out.element);
  kernel::ScanTile tile;
  tile.length = part.operand.shape[how.dimension];
  const std::int64_t last = how.reverse ? tile.length - 1 : 0;
  tile.from = address_of(part.operand.data + last * from_step * bytes);
  tile.to = address_of(part.out.data + last * to_step * bytes);
  tile.from_step = how.reverse ? -from_step : from_step;
  tile.to_step = how.reverse ? -to_step : to_step;
  tile.lines = runtime::count(from.shape);
  tile.line_walk = walk_of<2>(from.shape, {from.strides, to.strides});
  return tile;
}

std::string scan_kind(synth::ReduceOp op) { return std::string(synth::name(runtime::kind_of(op))); }

// `name<Combine, element, by_lines>`.
KernelText scan_text(const char* name, synth::ReduceOp op, synth::ElementType element, const char* rest) {
  const char* const type = type_name(element);
  return {{"runtime/device/text/scan.hpp"},
          fmt::format("{}<tessera::runtime::Combine<tessera::synth::ReduceKind::{}, {}>, {}{}>", name, scan_kind(op),
                      type, type, rest),
          ""};
}

// The tiles again, with as many blocks as each needs.
template <class F>
ScanTable scan_table(const std::vector<kernel::ScanTile>& tiles, const F& blocks) {
  ScanTable table;
  for (const kernel::ScanTile& tile : tiles) table.add(tile, blocks(tile));
  return table;
}

// Where neighbouring lines lie side by side, they are run along by neighbouring threads.
base::Status scan_tiles(Launcher& launcher, synth::ReduceOp op, synth::ElementType element,
                        std::vector<kernel::ScanTile>& tiles, bool by_lines) {
  std::int64_t totals = 0;
  for (const kernel::ScanTile& tile : tiles) totals += kernel::blocks_of(tile) * tile.lines;
  const bool is_long = std::ranges::any_of(tiles, [](const auto& tile) { return kernel::blocks_of(tile) > 1; });
  if (is_long) {
    TESSERA_TRY(room, launcher.scratch(totals * synth::bytes_of(element)));
    for (kernel::ScanTile& tile : tiles) {
      tile.totals = room;
      room += static_cast<Address>(kernel::blocks_of(tile) * tile.lines * synth::bytes_of(element));
    }
  }
  using Inside = kernel::RunInside<SumOfFloats, float, true>;
  using Front = kernel::PutInFront<SumOfFloats, float, true>;
  const char* const walked = by_lines ? ", true" : ", false";
  TESSERA_TRY_STATUS(launch_tiles(
      launcher, scan_text("RunInside", op, element, walked),
      scan_table(tiles,
                 [](const auto& tile) { return blocks_for(kernel::blocks_of(tile) * tile.lines, Inside::kThreads); }),
      kernel::ScanArgs{}));
  if (!is_long) return base::Done{};
  TESSERA_TRY_STATUS(launch_tiles(launcher, scan_text("AddTotals", op, element, ""),
                                  scan_table(tiles,
                                             [](const auto& tile) {
                                               return blocks_for(tile.lines,
                                                                 kernel::AddTotals<SumOfFloats, float>::kThreads);
                                             }),
                                  kernel::ScanArgs{}));
  return launch_tiles(
      launcher, scan_text("PutInFront", op, element, walked),
      scan_table(tiles,
                 [](const auto& tile) { return blocks_for((kernel::blocks_of(tile) - 1) * tile.lines, Front::kRuns); }),
      kernel::ScanArgs{});
}

}  // namespace

bool is_whole_along(const runtime::LocalStep& step, std::size_t dimension) {
  const synth::RegisterId result = step.apply.results[0];
  const std::int64_t whole = step.tiles.type(result).shape()[dimension];
  const runtime::Block block = step.tiles.block(result);
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    const synth::Box& box = step.tiles.tiles(result).boxes[static_cast<std::size_t>(d)];
    if (box[dimension].length() != whole && !synth::shape_of(box).empty()) return false;
  }
  return true;
}

bool can_scan(const runtime::LocalStep& step, const synth::Scan& operation) {
  return step.tiles.type(step.apply.results[0]).element() != synth::ElementType::boolean &&
         is_whole_along(step, operation.dimension);
}

base::Status scan(Launcher& launcher, const synth::Scan& how, const std::vector<ScanPart>& parts) {
  std::vector<kernel::ScanTile> in_rows;
  std::vector<kernel::ScanTile> side_by_side;
  for (const ScanPart& part : parts) {
    if (runtime::is_empty(part.out.shape)) continue;
    const kernel::ScanTile tile = scan_tile(how, part);
    (std::abs(tile.to_step) == 1 ? in_rows : side_by_side).push_back(tile);
  }
  const auto element = parts.empty() ? synth::ElementType::f32 : parts[0].out.element;
  TESSERA_TRY_STATUS(scan_tiles(launcher, how.op, element, in_rows, false));
  return scan_tiles(launcher, how.op, element, side_by_side, true);
}

base::Status scan(Launcher& launcher, const runtime::LocalStep& step, const synth::Scan& operation) {
  std::vector<ScanPart> parts;
  const runtime::Block block = step.tiles.block(step.apply.results[0]);
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    parts.push_back({step.tiles.view(step.apply.operands[0], device), step.tiles.out(step.apply.results[0], device)});
  }
  return scan(launcher, operation, parts);
}

}  // namespace tessera::device
