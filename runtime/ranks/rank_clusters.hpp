// Finds the ranks that are near each other, from the times of their pairs.
//
// Example: ranks 0 and 1 exchange in one second, and so do 2 and 3; all other pairs take two. That is clusters of two.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::runtime {

// Seconds that each pair of members takes to exchange the same bytes.
using PairSeconds = std::vector<std::vector<double>>;

// The sizes of clusters inside each other, descending: blocks of consecutive members, all of one size, such that every
// pair inside a block is faster by over a quarter than every pair whose blocks differ and lie in one block of the size
// before. Empty where there are none.
std::vector<std::int64_t> cluster_sizes(const PairSeconds& seconds);

}  // namespace tessera::runtime
