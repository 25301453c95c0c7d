// Rows sorted on GPUs, and their greatest elements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

bool can_sort(const runtime::LocalStep& step);  // of any of these
base::Status sort(Launcher& launcher, const runtime::LocalStep& step, const synth::Sort& operation);
base::Status sort(Launcher& launcher, const runtime::LocalStep& step, const synth::Greatest& operation);
base::Status sort(Launcher& launcher, const runtime::LocalStep& step, const synth::Candidates& operation);

// Along the last dimension, ascending, or descending as many as the result has.
struct SortPart {
  runtime::TileView operand;
  runtime::TileOut out;
  std::int64_t first = 0;                     // position of a row's first element
  std::optional<runtime::TileView> places{};  // what stands for each position
};
base::Status sort(Launcher& launcher, bool positions, bool descending, const std::vector<SortPart>& parts);

}  // namespace tessera::device
