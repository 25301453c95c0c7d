// Private to synth: the chain that our planner chooses. Each way to finish pending sums (sums.hpp) is followed by a
// move: the direct exchange (or the collective that it is), an exchange into a refinement of the target and a gather,
// or what a rival would do; last a relay. A candidate whose lower bounds rule it out is not priced.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/planner/chain.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

// The chain that our planner chooses (choice.hpp) and, if every way is wanted, those that it met before, and one for
// each simple way to resolve what is pending. `from` and `to` differ as data.
enum class Resolve : std::uint8_t { every_way, fastest };
base::Result<std::vector<Chain>> portfolio(const ArrayType& from, const ArrayType& to, Prices& prices, Resolve ways);

}  // namespace tessera::synth
