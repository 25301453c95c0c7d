// Private to synth: chains on machines without a general exchange.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/planner/chain.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

// The chains without a general exchange that our planner chooses from: of those that may be the fastest, and, where the
// bound or the budget is not kept, that of least peak.
base::Result<std::vector<Chain>> collectives_only_chains(const ArrayType& from, const ArrayType& to, Prices& prices,
                                                         std::optional<std::int64_t> budget);

}  // namespace tessera::synth
