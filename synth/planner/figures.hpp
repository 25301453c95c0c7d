// Private to synth: the figures of a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/planner/chain.hpp"
#include "synth/planner/plan_options.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

// The plan of a chain, priced but not verified.
base::Result<Plan> priced(Prices& prices, const ArrayType& from, const ArrayType& to, Planner planner,
                          const Chain& chain);

// The peak of every step of a chain; with the source in each of them where it lives on.
base::Result<std::vector<std::int64_t>> step_peaks(const Chain& chain, const ArrayType& from,
                                                   Source source = Source::dies);

// Works out the steps' peaks from their types: the JSON of a plan does not have them.
void set_step_peaks(Plan& plan);

}  // namespace tessera::synth
