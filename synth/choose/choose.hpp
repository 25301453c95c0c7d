// Choosing the layouts of a program, jointly and with proof (docs/automatic.md).
//
// Example: on x:2 with links of 1 byte per second, x: f32[2, 4] and w: f32[4, 2] free, x @ w costs nothing to bring
// together: x by rows, w whole; or each device a column of w; or the contracted index on x, and then a sum is moved.
#pragma once

#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/choose/options.hpp"
#include "synth/planner/plan.hpp"
#include "synth/program/choice/choice.hpp"
#include "synth/program/choice/problem.hpp"

namespace tessera::synth {

// The layouts under which the program takes the fewest seconds on the cache's machine, and a lower bound; of a problem
// that says when its values are in memory (lives), those that keep within what devices hold, if any are found. A pure
// function of problem, machine and options. Conversions are priced by their plans; those that are chosen are verified
// and stay in the cache. Fails with `interrupted`, or where there is no plan.
base::Result<LayoutChoice> choose(const ChoiceProblem& problem, PlanCache& cache, const ChooseOptions& options = {},
                                  base::StopToken stop = {});

}  // namespace tessera::synth
