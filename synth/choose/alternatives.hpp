// What a program takes in which one value lies otherwise: the prices of layouts that were not chosen.
#pragma once

#include <cstddef>
#include <vector>

#include "synth/choose/choose.hpp"

namespace tessera::synth {

// A problem in which a value may be annotated: the pin of the node says how the value lies for all who read it. An
// operation gets a join behind it, which its result is brought to, as to a layout that a text gives it (`let y: T = a @
// b`); of a parameter, and of a value that has an annotation, the join is there already.
struct AnnotatedValue {
  ChoiceProblem problem;
  std::size_t node = 0;
};
AnnotatedValue annotated(const ChoiceProblem& problem, std::size_t maker);

struct LayoutAlternative {
  Layout layout;
  double seconds = 0;        // of the best program that was found
  double bound_seconds = 0;  // no program with this layout takes less
};

// For each layout that the result of a node may be annotated with, the best program with it, the cheapest first: one
// search for each, so that the figures are those of a choice with the annotation. A layout under which there is no
// program, or none was found that fits the memory of the devices, is left out. Fails with `interrupted`.
base::Result<std::vector<LayoutAlternative>> alternatives_of(const ChoiceProblem& problem, std::size_t node,
                                                             PlanCache& cache, const ChooseOptions& options = {},
                                                             base::StopToken stop = {});

}  // namespace tessera::synth
