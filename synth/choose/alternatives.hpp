// What a program takes in which one value lies otherwise: the prices of layouts that were not chosen.
#pragma once

#include <cstddef>
#include <vector>

#include "synth/choose/choose.hpp"

namespace tessera::synth {

struct LayoutAlternative {
  Layout layout;
  double seconds = 0;  // of the best program that has it
};

// For each layout that the result of a node may have, the best program with it, the cheapest first. A layout under
// which there is no program, or none was found that fits the memory of the devices, is left out. Fails with
// `interrupted`.
base::Result<std::vector<LayoutAlternative>> alternatives_of(const ChoiceProblem& problem, std::size_t node,
                                                             PlanCache& cache, const ChooseOptions& options = {},
                                                             base::StopToken stop = {});

}  // namespace tessera::synth
