// The second half of the memory plan: where everything lies.
#pragma once

#include "base/stop.hpp"
#include "runtime/memory/in_place.hpp"
#include "runtime/memory/lifetime.hpp"
#include "runtime/memory/liveness.hpp"
#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// Completes the plan that `find_lives` and `find_in_place` have begun. Gives the windows and parts whose edges would
// have to be read or written otherwise than by sections of chains: with these the plan does not serve.
Copied place_registers(const synth::Program& program, const TileMaps& tiles, const WrittenParts& parts,
                       Liveness liveness, InPlace in_place, MemoryPlan& plan, base::StopToken stop);

}  // namespace tessera::runtime
