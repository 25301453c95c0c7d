// Choosing the shares of an axis' devices together with the layouts: the meaning of `work(auto)`.
//
// On a flat machine whose devices have one speed each, a program takes c0 + c1 * R + c2 * U and terms that are concave:
// R is the largest share, U the largest share over its device's speed. The shares that can be have one vertex for each
// distinct speed: devices share as the smaller of their speed and that one, from evenly to by speed. A concave function
// is least at a vertex, so the best of a search at each of them is the joint optimum. On other machines the same shares
// are tried, and nothing is proved of others.
//
// Example: speeds of 1, 6, 3 and 1 have three vertices: 1, 1, 1, 1; 1, 3, 3, 1; and 1, 6, 3, 1.
#pragma once

#include <cstddef>
#include <vector>

#include "synth/choose/choose.hpp"
#include "synth/layout/weights.hpp"
#include "synth/program/share_candidates.hpp"

namespace tessera::synth {

// A named cut of an axis, whose weights are to be chosen; those that it has do not matter.
struct OpenCut {
  std::size_t axis = 0;
  std::uint8_t cut = 1;  // as in AxisPart
};

struct WeightedChoice {
  Weights weights = Weights::even(1);
  ChoiceProblem problem;     // on the mesh with these weights
  LayoutChoice choice;       // its gap is that of its own weights
  std::size_t searched = 0;  // candidates
  bool is_exact = false;     // no other weights are better, but for rounding them to whole numbers
};

// The problem on its mesh with these weights of the cut. Fails where they are too large together with other cuts'.
base::Result<ChoiceProblem> with_weights(const ChoiceProblem& problem, const OpenCut& cut, const Weights& weights);

base::Result<WeightedChoice> choose_with_weights(const ChoiceProblem& problem, const OpenCut& cut, PlanCache& cache,
                                                 const ChooseOptions& options = {}, base::StopToken stop = {});

}  // namespace tessera::synth
