// Sorting along the last dimension, ascending: NaN is the greatest, and -0 comes before 0, so that the result does not
// depend on the algorithm. Works in the result's own memory; no other is needed.
#pragma once

#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

void sort_elements(const TileView& operand, const TileOut& out);

// Sorts the positions where the elements were, in i64; of equal ones (of which -0 and 0 are two, and all NaN are) the
// first comes first.
void sort_positions(const TileView& operand, const TileOut& out);

// The elements at these positions of each line, one behind the other.
void elements_at_positions(const TileView& operand, const TileOut& positions, std::byte* to);

// The greatest along the last dimension, as many as the result has there, descending: NaN first, and 0 before -0.
void greatest_elements(const TileView& operand, const TileOut& out);

// The positions of the greatest, the line's first being `first`; among equal ones, as above, the first comes first.
void greatest_positions(const TileView& operand, const TileOut& out, std::int64_t first = 0);

// Puts for each place in a line of `out` what stands there in the same line of i64 positions.
void positions_for_places(const TileView& positions, const TileOut& out);

}  // namespace tessera::runtime
