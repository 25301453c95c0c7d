// Copies of boxes on a GPU: runs that lie side by side on both sides in units of up to 16 bytes, transposed ones
// through shared memory, all others element by element.
#pragma once

#include <span>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

base::Status copy(Launcher& launcher, const runtime::ItemList<runtime::BoxMove>& moves);
base::Status copy(Launcher& launcher, std::span<const runtime::BoxMove> moves);

}  // namespace tessera::device
