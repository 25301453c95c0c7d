// Private to synth: relays: a change of layout in hops, stretch by stretch, where a plan of steps in turn stays above
// the bound.
#pragma once

#include <optional>

#include "synth/planner/chain.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

// A relay, where that takes less than so many seconds and these are more than a part in a hundred above the bound.
// Pending sets are equal. Its price is known from then on: to list the sends again takes long.
std::optional<Chain> relay_move(const ArrayType& from, const ArrayType& to, Prices& prices, double seconds);

}  // namespace tessera::synth
