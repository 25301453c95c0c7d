// Private to synth: choices over three axes and more, whose space is too large for every conversion to be planned.
//
// A round holds what one axis does, at every node, and chooses what the others do; rounds go on until none makes the
// program better. The first program is the best of those in which two of the axes do the same everywhere.
//
// The bound is of all axes at once: an ascent in which a conversion takes what its bytes take on the links of single
// devices, for which no plan is needed. Strategies that it shows to be in no better program go. If few enough are left,
// these are searched with the prices of plans, and what that proves holds for all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/choose/options.hpp"
#include "synth/planner/plan.hpp"
#include "synth/program/choice/choice.hpp"
#include "synth/program/choice/problem.hpp"

namespace tessera::synth {

// Is the problem over three axes or more?
bool has_rounds(const ChoiceProblem& problem);

// As choose(). `devices` lists every device; `limits` are what these hold, empty: nobody says. Nothing where the space
// is small enough to be searched at once.
base::Result<std::optional<LayoutChoice>> choose_by_rounds(const ChoiceProblem& problem, PlanCache& cache,
                                                           const Machine& devices,
                                                           const std::vector<std::int64_t>& limits,
                                                           const ChooseOptions& options, base::StopToken stop);

}  // namespace tessera::synth
