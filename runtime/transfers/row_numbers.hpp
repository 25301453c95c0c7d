// Lists of row numbers that ranks tell each other, as long as they turn out to be at run time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

// From a device of one rank to one of another rank.
struct RowNumbers {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::vector<std::int64_t> numbers = {};
};
// By the other rank. Both ranks of a pair have their lists in one order.
using NumbersByRank = std::map<int, std::vector<RowNumbers>>;

// Sends the numbers of `sent`, in so many bytes each (4 or 8), and fills in those of `received`: first how many each
// list has, then all of them. Ranks that have nothing to tell each other take no part.
base::Status exchange_numbers(Team& team, const NumbersByRank& sent, NumbersByRank& received, std::int64_t each);

}  // namespace tessera::runtime
