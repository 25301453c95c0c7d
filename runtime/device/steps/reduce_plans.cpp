#include "runtime/device/steps/reduce_plans.hpp"

#include <bit>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/kernels/axes.hpp"

namespace tessera::device {

namespace {

constexpr std::int64_t kBlocksOfProcessor = 8;

std::int64_t parts_needed(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

int ceiling_log(std::int64_t n) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1))); }

// The greatest power of two up to n, between 1 and `most`.
std::int64_t power_up_to(std::int64_t n, std::int64_t most) {
  const std::int64_t within = std::clamp<std::int64_t>(n, 1, most);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(within)));
}

std::int64_t widest(synth::ElementType element) { return std::min<std::int64_t>(8, 16 / synth::bytes_of(element)); }

// Are all steps along the first `dimensions` of the nest multiples of n?
bool steps_by(const Nested& nest, std::size_t dimensions, std::int64_t n) {
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (nest.strides[0][d] % n != 0) return false;
  }
  return true;
}

bool is_aligned_to(const runtime::TileView& operand, std::int64_t elements) {
  return reinterpret_cast<std::uintptr_t>(operand.data) %
             static_cast<std::uintptr_t>(elements * synth::bytes_of(operand.element)) ==
         0;
}

kernel::RowLie lie_of(const Nested& reduced) {
  if (reduced.rank() == 0) return kernel::RowLie::dense;
  if (reduced.strides[0].back() != 1) return kernel::RowLie::any;
  if (reduced.rank() == 1) return kernel::RowLie::dense;
  return reduced.extents.back() % kernel::kRowBlock == 0 ? kernel::RowLie::runs : kernel::RowLie::any;
}

void cut_long_rows(RowsPlan& plan, std::int64_t slots, int processors) {
  kernel::ReduceRowsTile& tile = plan.tile;
  constexpr std::int64_t kTurnsMost = kernel::kRowTurnsMost;
  tile.slots_log = ceiling_log(slots);
  const std::int64_t turns = parts_needed(tile.row_blocks, slots);
  tile.turns = static_cast<std::int32_t>(power_up_to(turns * tile.results / (kBlocksOfProcessor * processors),
                                                     std::min(kTurnsMost, std::int64_t{1} << ceiling_log(turns))));
  tile.stretches = kernel::divisor_of(parts_needed(turns, tile.turns));
  plan.blocks = tile.results * tile.stretches.value;
}

void put_short_rows_together(RowsPlan& plan, std::int64_t slots, int processors) {
  kernel::ReduceRowsTile& tile = plan.tile;
  constexpr std::int64_t kTurnsMost = 8;
  tile.slots_log = ceiling_log(tile.row_blocks);
  const std::int64_t turns = parts_needed(tile.results, slots >> tile.slots_log);
  tile.turns = static_cast<std::int32_t>(power_up_to(turns / (4 * kBlocksOfProcessor * processors), kTurnsMost));
  tile.stretches = kernel::divisor_of(1);
  plan.blocks = parts_needed(turns, tile.turns);
}

}  // namespace

ReducedTile reduced_tile(const runtime::TileView& operand, std::span<const std::uint8_t> dimensions) {
  const auto others = runtime::other_dimensions(operand.shape.size(), dimensions);
  const runtime::TileView kept = chosen_dimensions(operand, std::span(others.begin(), others.size()));
  const runtime::TileView reduced = chosen_dimensions(operand, dimensions);
  ReducedTile tile;
  tile.kept = merged({kept.shape, {kept.strides, runtime::dense_strides(kept.shape)}});
  tile.reduced = merged({reduced.shape, {reduced.strides}});
  tile.along_rows =
      operand.shape.empty() || (!dimensions.empty() && dimensions.back() + std::size_t{1} == operand.shape.size());
  return tile;
}

kernel::ReduceWalk walk_along(const Nested& nest, std::size_t dimensions) {
  kernel::ReduceWalk walk;
  walk.rank = static_cast<std::int64_t>(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d)
    walk.dimensions[d] = {kernel::divisor_of(nest.extents[d]), nest.strides[0][d]};
  return walk;
}

RowsPlan rows_plan(const ReducedTile& tile, const runtime::TileView& operand, int processors) {
  RowsPlan plan;
  plan.lie = lie_of(tile.reduced);
  const std::int64_t wide = widest(operand.element);
  const std::size_t outer = tile.reduced.rank() == 0 ? 0 : tile.reduced.rank() - 1;
  const std::int64_t bytes = synth::bytes_of(operand.element);
  plan.staged = plan.lie != kernel::RowLie::any && bytes >= 4;
  const bool is_wide = plan.lie != kernel::RowLie::any && is_aligned_to(operand, wide) &&
                       (!plan.staged || tile.length() % wide == 0) && steps_by(tile.kept, tile.kept.rank(), wide) &&
                       steps_by(tile.reduced, outer, wide);
  plan.own = is_wide ? static_cast<int>(wide) : 1;
  plan.tile.from = reinterpret_cast<Address>(operand.data);
  plan.tile.results = tile.results();
  plan.tile.length = tile.length();
  plan.tile.row_blocks = static_cast<std::int32_t>(parts_needed(tile.length(), kernel::kRowBlock));
  // Rows that lie densely are gone along without a walk, which counts with 31 bits.
  if (plan.lie != kernel::RowLie::dense) plan.tile.reduced = walk_along(tile.reduced, tile.reduced.rank());
  plan.tile.kept = walk_along(tile.kept, tile.kept.rank());
  const std::int64_t slots = plan.staged ? 256 / bytes : 256 * plan.own / kernel::kRowLanes;
  if (plan.tile.row_blocks > slots)
    cut_long_rows(plan, slots, processors);
  else
    put_short_rows_together(plan, slots, processors);
  return plan;
}

ColumnsPlan columns_plan(const ReducedTile& tile, const runtime::TileView& operand, int processors) {
  constexpr std::int64_t kTurnsMost = 8;
  ColumnsPlan plan;
  const std::int64_t wide = widest(operand.element);
  const std::size_t groups = tile.kept.rank() == 0 ? 0 : tile.kept.rank() - 1;
  const std::int64_t columns = tile.kept.rank() == 0 ? 1 : tile.kept.extents.back();
  const std::int64_t stride = tile.kept.rank() == 0 ? 1 : tile.kept.strides[0].back();
  const bool is_wide = stride == 1 && columns % wide == 0 && is_aligned_to(operand, wide) &&
                       steps_by(tile.kept, groups, wide) && steps_by(tile.reduced, tile.reduced.rank(), wide);
  plan.own = is_wide ? static_cast<int>(wide) : 1;
  plan.even = tile.reduced.rank() <= 1;
  kernel::ReduceColumnsTile& row = plan.tile;
  row.from = reinterpret_cast<Address>(operand.data);
  row.results = tile.results();
  row.rows = tile.length();
  row.column_stride = stride * plan.own;
  row.row_stride = tile.reduced.rank() == 1 ? tile.reduced.strides[0][0] : 0;
  row.units = static_cast<std::int32_t>(columns / plan.own);
  row.row_blocks = static_cast<std::int32_t>(parts_needed(row.rows, kernel::kRowBlock));
  // Where few blocks of rows are reduced, more columns keep the threads busy.
  row.units_log = std::min(ceiling_log(row.units), std::max(5, 8 - ceiling_log(row.row_blocks)));
  const std::int64_t turns = parts_needed(row.row_blocks, 256 >> row.units_log);
  const std::int64_t strips = parts_needed(row.units, std::int64_t{1} << row.units_log);
  const std::int64_t across = strips * (row.results / columns);
  row.turns = static_cast<std::int32_t>(power_up_to(turns * across / (kBlocksOfProcessor * processors),
                                                    std::min(kTurnsMost, std::int64_t{1} << ceiling_log(turns))));
  row.stretches = kernel::divisor_of(parts_needed(turns, row.turns));
  row.strips = kernel::divisor_of(strips);
  row.kept = walk_along(tile.kept, groups);
  if (!plan.even) row.reduced = walk_along(tile.reduced, tile.reduced.rank());
  plan.blocks = across * row.stretches.value;
  return plan;
}

}  // namespace tessera::device
