#include "runtime/device/steps/arg_plans.hpp"

#include <bit>

#include "runtime/device/steps/launcher.hpp"

namespace tessera::device {

namespace {

constexpr std::int64_t kBlocksWanted = 8;  // of a processor
constexpr std::int64_t kLeastOfThread = 16;

std::int64_t quotient_up(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }
int log_up(std::int64_t n) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1))); }

// Cuts lines in stretches where whole ones do not keep the processors busy. `round` threads' elements are read in turn.
void cut_lines(ArgPlan& plan, std::int64_t across, std::int64_t round, int processors) {
  const std::int64_t wanted = kBlocksWanted * processors / std::max<std::int64_t>(1, across);
  const std::int64_t most = plan.tile.length / (round * kLeastOfThread);
  const std::int64_t stretches = std::clamp<std::int64_t>(std::min(wanted, most), 1, 512);
  plan.tile.stretch = quotient_up(quotient_up(plan.tile.length, stretches), round) * round;
  plan.tile.stretches = kernel::divisor_of(quotient_up(plan.tile.length, plan.tile.stretch));
  plan.blocks = across * plan.tile.stretches.value;
}

bool is_aligned_for(const runtime::TileView& operand, std::int64_t own) {
  const std::int64_t bytes = own * synth::bytes_of(operand.element);
  return reinterpret_cast<std::uintptr_t>(operand.data) % static_cast<std::uintptr_t>(bytes) == 0;
}

bool all_steps_by(const synth::Shape& strides, std::size_t dimensions, std::int64_t own) {
  return std::all_of(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(dimensions),
                     [&](std::int64_t stride) { return stride % own == 0; });
}

void plan_dense(ArgPlan& plan, const ReducedTile& tile, const runtime::TileView& operand, int processors) {
  const std::int64_t wide = std::min<std::int64_t>(4, 16 / synth::bytes_of(operand.element));
  const bool is_wide = tile.length() % wide == 0 && is_aligned_for(operand, wide) &&
                       all_steps_by(tile.kept.strides[0], tile.kept.rank(), wide);
  plan.own = is_wide ? static_cast<int>(wide) : 1;
  const int lanes_log = std::clamp(log_up(quotient_up(tile.length(), std::int64_t{plan.own} * 4)), 3, 8);
  plan.tile.units_log = 8 - lanes_log;
  plan.tile.kept = walk_along(tile.kept, tile.kept.rank());
  cut_lines(plan, quotient_up(tile.results(), std::int64_t{1} << plan.tile.units_log),
            std::int64_t{plan.own} << lanes_log, processors);
}

void plan_side_by_side(ArgPlan& plan, const ReducedTile& tile, const runtime::TileView& operand, int processors) {
  const std::int64_t wide = std::min<std::int64_t>(4, 16 / synth::bytes_of(operand.element));
  const std::size_t groups = tile.kept.rank() == 0 ? 0 : tile.kept.rank() - 1;
  const std::int64_t columns = tile.kept.rank() == 0 ? 1 : tile.kept.extents.back();
  const std::int64_t stride = tile.kept.rank() == 0 ? 1 : tile.kept.strides[0].back();
  const bool is_wide = stride == 1 && columns % wide == 0 && is_aligned_for(operand, wide) &&
                       all_steps_by(tile.kept.strides[0], groups, wide) &&
                       all_steps_by(tile.reduced.strides[0], tile.reduced.rank(), wide);
  plan.own = is_wide ? static_cast<int>(wide) : 1;
  plan.even = tile.reduced.rank() <= 1;
  plan.tile.unit_stride = stride * plan.own;
  plan.tile.element_stride = tile.reduced.rank() == 1 ? tile.reduced.strides[0][0] : 0;
  plan.tile.units = static_cast<std::int32_t>(columns / plan.own);
  plan.tile.units_log = std::min(5, log_up(plan.tile.units));
  const std::int64_t strips = quotient_up(plan.tile.units, std::int64_t{1} << plan.tile.units_log);
  plan.tile.strips = kernel::divisor_of(strips);
  plan.tile.kept = walk_along(tile.kept, groups);
  plan.tile.reduced = walk_along(tile.reduced, tile.reduced.rank());
  cut_lines(plan, strips * (tile.results() / columns), std::int64_t{256} >> plan.tile.units_log, processors);
}

}  // namespace

ArgPlan arg_plan(const ReducedTile& tile, const runtime::TileView& operand, int processors) {
  ArgPlan plan;
  plan.tile.from = reinterpret_cast<Address>(operand.data);
  plan.tile.results = tile.results();
  plan.tile.length = tile.length();
  plan.tile.strips = kernel::divisor_of(1);
  plan.is_dense = tile.reduced.rank() == 0 || (tile.reduced.rank() == 1 && tile.reduced.strides[0][0] == 1);
  if (plan.is_dense)
    plan_dense(plan, tile, operand, processors);
  else
    plan_side_by_side(plan, tile, operand, processors);
  return plan;
}

}  // namespace tessera::device
