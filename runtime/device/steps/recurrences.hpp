// Recurrences on GPUs.
#pragma once

#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// Of a dimension that is whole on every device.
bool can_recur(const runtime::LocalStep& step, const synth::Recur& operation);
base::Status recur(Launcher& launcher, const runtime::LocalStep& step, const synth::Recur& operation);

// `a` and `b` repeat to the shape of `out`, which lies where neither does.
struct RecurPart {
  runtime::TileView a;
  runtime::TileView b;
  runtime::TileOut out;
};
base::Status recur(Launcher& launcher, const synth::Recur& how, const std::vector<RecurPart>& parts);

}  // namespace tessera::device
