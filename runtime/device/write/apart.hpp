// Chains that no one kernel takes: step by step, each for itself. What only the chain reads lies in room of its own.
#pragma once

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

base::Status run_apart(Launcher& launcher, const runtime::ChainStep& chain);

}  // namespace tessera::device
