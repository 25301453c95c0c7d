// Which ranks are near each other, as the times of their pairs say.
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
