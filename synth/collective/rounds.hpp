// For synth, and for embed to say what a round moves: an exchange cut into rounds along one dimension, so that what has
// left a device makes room for what comes.
//
// The dimension is cut wherever a tile of the source or of the target ends; every piece lies in one tile of either.
// Each piece is then cut into as many parts as there are rounds, and round k moves the k-th part of every piece: a
// round empties about as large a share of every source tile as it fills of every target tile.
#pragma once

#include <vector>

#include "synth/collective/moves.hpp"

namespace tessera::synth {

// The pieces, ascending; none is empty.
std::vector<Interval> round_pieces(const ArrayType& from, const ArrayType& to, std::size_t dimension);

// The pieces that an interval consists of: those of one tile, say.
std::vector<Interval> pieces_in(const std::vector<Interval>& pieces, const Interval& interval);

// The part of a piece that the round moves.
Interval part_of(const Interval& piece, const Round& round);

// The copies that one round makes of those between the two types on a machine, local ones included.
std::vector<BoxCopy> copies_of_round(const Machine& machine, const ArrayType& from, const ArrayType& to,
                                     const Round& round);

}  // namespace tessera::synth
