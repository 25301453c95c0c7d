// What steps need beside their arrays.
#pragma once

#include <cstdint>

#include "runtime/memory/tile_maps.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// The scratch memory of a step: of a sum, of a scan what stands in front of a tile, of lines that
// are sorted over several tiles their runs, of matrices, and of transforms.
std::int64_t scratch_bytes(const synth::Program& program, const TileMaps& tiles, const synth::Apply& apply);

}  // namespace tessera::runtime
