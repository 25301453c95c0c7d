// Private to synth: the price of an exchange in rounds.
#pragma once

#include <vector>

#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

// The cost of every round of an exchange: the copies of the whole exchange, each restricted to what the round moves
// (collective/rounds.hpp). Bytes are exact. Seconds are for up to 512 devices, and above where all rounds together have
// up to 400,000 messages; else every round takes a latency of the slowest level for each peer that the exchange has,
// and what its busiest device receives over that device's own link.
std::vector<StepCost> costs_of_rounds(const RunMachine& machine, const ArrayType& before, const ArrayType& after,
                                      std::size_t dimension, std::int64_t count);

}  // namespace tessera::synth
