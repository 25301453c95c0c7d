// Shares and layouts in turns, as HAP searches them: the fastest program for shares by speed, the best shares for that
// program, and so on until nothing changes. Either is best for the other in the end, and still both together may not
// be: weights.hpp looks at all shares that can be.
#pragma once

#include "synth/choose/weights.hpp"

namespace tessera::synth {

// What a program takes in these layouts, on the mesh of the problem; it may be another problem's, with other weights.
base::Result<double> seconds_in(const ChoiceProblem& problem, const LayoutChoice& choice, PlanCache& cache,
                                base::StopToken stop = {});

// Never `is_exact`; `searched` counts the programs that were chosen.
base::Result<WeightedChoice> choose_in_turns(const ChoiceProblem& problem, const OpenCut& cut, PlanCache& cache,
                                             const ChooseOptions& options = {}, base::StopToken stop = {});

}  // namespace tessera::synth
