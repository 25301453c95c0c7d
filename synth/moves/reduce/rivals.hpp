// How other systems reduce over the levels of a machine, priced and carried out as ours. Our search covers all of these
// programs, so none of them is ever faster.
#pragma once

#include "synth/moves/reduce/search.hpp"

namespace tessera::synth {

// One ring over all members, in order of device numbers.
LevelProgram ring_program(const ReduceLevels& levels, ReduceGoal goal);
// Inside the outermost units to one device each, between those, and back; by halving. Between units each device
// exchanges its whole payload if that is small; otherwise the sum is scattered and gathered. Over one level only: that
// part alone.
LevelProgram masters_program(const ReduceLevels& levels, double payload_bytes);
// The best of up to five steps in one stretch, each in a ring or by halving, as in P2 (Xie, Norman, Grewe and
// Vytiniotis, 2021).
PricedProgram short_program(ReduceGraphs& graphs, const ReducePrices& prices, std::size_t levels, ReduceGoal goal);

}  // namespace tessera::synth
