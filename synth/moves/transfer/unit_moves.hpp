// A reduction of a group whose members lie unevenly in the units of a machine, as 4 devices on two nodes do that have 3
// and 1 of them. There are no levels that all members have in common.
//
// Inside a unit of n members each collects the sums of one n-th of the payload. The units' collectors add up the sums
// of the units, and send the totals back; inside each unit they are gathered. Each of the U units makes one U-th of all
// totals, so that every unit's link carries 2(1 - 1/U) of the payload each way, whatever the number of members behind
// it: the least that any way can do. In a reduce_scatter totals are made where they belong, and nothing is sent back.
//
// If links differ, units with fast links make more of the sums. Let S be the payload of U units, B_u the link of one
// and w_u the part that it makes: it carries (1 + (U - 2) w_u) S each way. So no program ends before T = max(2(U - 1) /
// sum B, 1 / min B) for each byte, and a unit ends by then if its part is at most (T B_u - 1) / (U - 2). Parts of that
// size are dealt out from the first unit on. Two units have no choice: both make half.
//
// Example: links of 10, 10, 5 and 5 bytes a second. The first two units make a half each, which takes 0.2 seconds for
// each byte; in even parts it would be 0.3.
//
// An all_reduce takes three slots and a reduce_scatter two. Cells are what lies between the cuts of all units.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/moves/transfer/reduce_moves.hpp"

namespace tessera::synth {

// The parts of all sums that units make, in proportion; each rate is at least 1.
std::vector<std::int64_t> unit_shares(const std::vector<std::int64_t>& rates);

// `unit_of_member` has a number for each member, by position; `unit_rates` a rate for each unit, in the order of their
// first members, or nothing where their links are alike.
ReduceMoves unit_moves(const std::vector<std::int64_t>& unit_of_member, bool scatters, std::int64_t stretches,
                       const std::vector<std::int64_t>& unit_rates = {});

}  // namespace tessera::synth
