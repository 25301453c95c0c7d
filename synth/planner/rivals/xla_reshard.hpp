// Private to synth: XLA's way from one sharding to another.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/moves/collective/collective.hpp"
#include "synth/planner/rivals/xla_moves.hpp"

namespace tessera::synth::xla {

// The partitioner's course where it has no pattern: in December 2021 it gathers everything at once, in November 2025 it
// first tries to split a dimension in two, to replicate one, and to work in groups of devices.
enum class Flow : std::uint8_t { dec_2021, nov_2025 };

struct TilingStep {
  CollectiveKind kind;
  Tiling after;
};

struct Reshard {
  std::vector<TilingStep> steps;
  // Was every dimension gathered for want of a better way: of the whole array, or of what a group of devices has?
  bool full_rematerialization = false;
  bool partial_rematerialization = false;
};

// The two tilings are of as many dimensions and devices.
Reshard reshard(const Extents& extents, const Tiling& from, const Tiling& to, Flow flow);

}  // namespace tessera::synth::xla
