// Private to synth: the fastest chain of named collectives (slice, all_gather, all_to_all, permute) from one type to
// another with the same pending set, for machines without a general exchange.
//
// The layouts over the prime pieces of the mesh's axes are the nodes of a graph, the steps its edges, and their prices
// the lengths: the search goes from the source, always on from the node where the price so far plus the least price
// still to come is smallest. A step is priced only when it is its turn.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "synth/layout/cluster/machine.hpp"
#include "synth/planner/chain.hpp"

namespace tessera::synth {

struct SearchLimits {
  std::int64_t array_bytes_max = std::numeric_limits<std::int64_t>::max();  // of every array on the way, on a device
  std::int64_t peak_bytes_max = std::numeric_limits<std::int64_t>::max();   // of every step
  double seconds_max = std::numeric_limits<double>::infinity();
};

// `exactly` is as direct_move has it. Nothing where there is none within the limits, or the search was given up.
std::optional<Chain> fastest_named_chain(const ArrayType& from, const ArrayType& to, bool exactly,
                                         const RunMachine& machine, const SearchLimits& limits);
// The least peak of a chain of named collectives; nothing where the search was given up.
std::optional<std::int64_t> least_named_peak(const ArrayType& from, const ArrayType& to, bool exactly);

}  // namespace tessera::synth
