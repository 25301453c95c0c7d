// A reduction of a group whose members lie unevenly in the units of a machine, as 4 devices on two nodes do that have 3
// and 1 of them. There are no levels that all members have in common.
//
// Inside a unit of n members each collects the sums of one n-th of the payload. The units' collectors add up what the
// units have, and give back the sums; inside each unit they are gathered. Of U units each makes one U-th of all sums,
// so that every unit's link carries 2(1 - 1/U) of the payload each way, however many members there are behind it, and
// that is the bound. In a reduce_scatter sums are made where they belong, and nothing is given back.
//
// An all_reduce takes three slots and a reduce_scatter two. Cells are what lies between the cuts of all units.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/transfer/reduce_moves.hpp"

namespace tessera::synth {

// `unit_of_member` has a number for each member, by position.
ReduceMoves unit_moves(const std::vector<std::int64_t>& unit_of_member, bool scatters, std::int64_t stretches);

}  // namespace tessera::synth
