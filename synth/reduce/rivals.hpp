// How others reduce over the levels of a machine, priced as ours: none is ever faster than the best program, except
// where a ring is faster than anything else in one stretch and there are too few bytes to cut.
#pragma once

#include "synth/reduce/search.hpp"

namespace tessera::synth {

// One ring over all members, in order of device numbers.
LevelProgram ring_program(const ReduceLevels& levels, ReduceGoal goal);
// Inside the outermost units to one device each, between those, and back; by halving. Over one level only: an
// all_reduce.
LevelProgram masters_program(const ReduceLevels& levels);
// The best of up to five steps in one stretch, each in a ring or by halving, as in P2 (Xie, Norman, Grewe and
// Vytiniotis, 2021).
PricedProgram short_program(ReduceGraphs& graphs, const ReducePrices& prices, std::size_t levels, ReduceGoal goal);

}  // namespace tessera::synth
