// How the lines of a tile are searched.
#pragma once

#include <cstdint>

#include "runtime/device/steps/reduce_plans.hpp"
#include "runtime/device/text/arg_reduce.hpp"

namespace tessera::device {

// A thread reads `own` elements at once: of one line where lines lie densely (`is_dense`), else of so many lines.
struct ArgPlan {
  bool is_dense = true;
  int own = 1;
  bool even = true;  // of lines that are not dense: do their elements lie evenly?
  kernel::ArgTile tile{};
  std::int64_t blocks = 0;
};
ArgPlan arg_plan(const ReducedTile& tile, const runtime::TileView& operand, int processors);

}  // namespace tessera::device
