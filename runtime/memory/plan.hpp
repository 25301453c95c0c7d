// Making the memory plan (memory_plan.hpp).
#pragma once

#include "base/stop.hpp"
#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

MemoryPlan plan_memory(const synth::Program& program, const TileMaps& tiles, base::StopToken stop = {});

}  // namespace tessera::runtime
