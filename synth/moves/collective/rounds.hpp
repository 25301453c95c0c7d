// An exchange cut into rounds along one dimension, so that elements which have left a device make room for those that
// come. For synth, and for embed, which describes the boxes of a round.
//
// The dimension is cut wherever a tile of the source or of the target ends; every piece lies in one tile of either.
// Each piece is then cut into as many parts as there are rounds, and round k moves the k-th part of every piece: a
// round empties about as large a share of every source tile as it fills of every target tile.
//
// Example: f32[4@x,4] -> f32[4,4@x] on x:2 in two rounds along dimension 0. The pieces are rows 0 to 1 and rows 2 to 3,
// the tiles of the source. Round 0 moves rows 0 and 2, round 1 rows 1 and 3.
#pragma once

#include <vector>

#include "synth/moves/collective/moves.hpp"

namespace tessera::synth {

// The pieces, ascending; none is empty.
std::vector<Interval> round_pieces(const ArrayType& from, const ArrayType& to, std::size_t dimension);

// The pieces that an interval consists of: those of one tile, say.
std::vector<Interval> pieces_in(const std::vector<Interval>& pieces, const Interval& interval);

// The part of a piece that the round moves.
Interval part_of(const Interval& piece, const Round& round);

// The copies that one round makes of those between the two types on a machine, local ones included.
std::vector<BoxCopy> copies_of_round(const RunMachine& machine, const ArrayType& from, const ArrayType& to,
                                     const Round& round);

}  // namespace tessera::synth
