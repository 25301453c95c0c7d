// The arrays that a program keeps from the forward pass of a gradient for its backward pass. Only arrays with a place
// of their own in the arena count: inputs and constants are there anyway, and what a chain makes and reads block by
// block is nowhere.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/program/pass.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

struct MemoryPlan;
class TileMaps;

struct KeptArray {
  synth::RegisterId value;
  std::uint32_t made_origin = 0;  // of the step of the forward pass that makes it
  std::uint32_t read_origin = 0;  // and of the first step of the backward pass that reads it
  std::int64_t tile_bytes = 0;    // on the device that has most
};

// In the order in which they are made. `passes` has an entry for each origin; without one nothing is kept.
std::vector<KeptArray> find_kept(const synth::Program& program, const MemoryPlan& plan, const TileMaps& tiles,
                                 const std::vector<synth::Pass>& passes);

}  // namespace tessera::runtime
