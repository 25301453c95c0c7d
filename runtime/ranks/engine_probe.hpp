// Measures how long copies take between the places of an engine, and between devices at one.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "synth/layout/cluster/machine.hpp"

namespace tessera::runtime {

class Engine;

// Level `gpu`: every place gets bytes of the next.
base::Result<synth::MachineLevel> level_of_places(Engine& engine);
// Level `device`, of so many devices at each place: every one gets bytes of the next at its place, at all places at
// once.
base::Result<synth::MachineLevel> level_of_place(Engine& engine, std::int64_t devices);

}  // namespace tessera::runtime
