// Private to synth: plans within a budget that the fastest plan does not keep: other chains, and chains with one step
// cut into rounds.
//
// Any step that moves data without adding is an exchange underneath, and can be cut. Rounds are for one step of a chain
// only: its largest, when all others keep the budget. So the least budget of a chain is the larger of what its second
// largest step needs and what its largest needs in rounds, and the planner refuses exactly below the least of those.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/planner/chain.hpp"
#include "synth/planner/plan_options.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

// Plans where the fastest plan is over the budget. Among the portfolio's chains, the direct exchange and
// the detours over refinements of the target it chooses as among chains (choice.hpp), of those whose peak keeps the
// budget. Where the source is dead afterwards, one step of a chain may be cut into rounds, into as few as will do.
base::Result<Plan> plan_within(Prices& prices, const ArrayType& from, const ArrayType& to,
                               const std::vector<Chain>& portfolio, const PlanOptions& options);
base::Diagnostic over_budget(std::int64_t least, std::int64_t budget);

}  // namespace tessera::synth
