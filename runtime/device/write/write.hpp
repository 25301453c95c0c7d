// Chains of steps, and elementwise steps alone, as kernels that are written for them.
#pragma once

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// Any chain.
base::Status run_chain(Launcher& launcher, const runtime::ChainStep& chain);

// Integers may have no quotient and no power: that is noted on the GPU, and told when somebody waits.
base::Status run_map(Launcher& launcher, const runtime::LocalStep& step, const synth::Map& map);

}  // namespace tessera::device
