// Running sums, products, maxima and minima on GPUs.
#pragma once

#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// Is this dimension of the result whole on every device?
bool is_whole_along(const runtime::LocalStep& step, std::size_t dimension);
bool can_scan(const runtime::LocalStep& step, const synth::Scan& operation);
base::Status scan(Launcher& launcher, const runtime::LocalStep& step, const synth::Scan& operation);

struct ScanPart {
  runtime::TileView operand;
  runtime::TileOut out;
};
base::Status scan(Launcher& launcher, const synth::Scan& how, const std::vector<ScanPart>& parts);

}  // namespace tessera::device
