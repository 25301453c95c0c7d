// Calls in a gradient are laid out alike, as other calls of one function are. A gradient computes each call anew, and
// its reverse, so the nodes of a call are spread over the program. Those that were made for the same node of the
// function, one for each call, become one node, which runs as often as all of them.
//
// Say, h1 = f(h0, w1) and h2 = f(h1, w2) with `fn f(h, w) = h @ w` become one product of two joins: of h0 and the
// product itself, and of w1 and w2. It runs twice. What all calls take from outside alike needs no join.
//
// Outside of these calls, nodes that are alike, use what is alike and are read alike become one, too: the parameters
// w1 and w2, say, their steps `w1 - 0.1 * g1` and `w2 - 0.1 * g2`, and then there is one product of a join and w.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "synth/program/pass.hpp"
#include "typeck/layouts/chosen_problem.hpp"
#include "typeck/layouts/whole.hpp"

namespace tessera::typeck {

// A node of a problem that is made for a node of a function.
struct FoldedNode {
  WholeFunction::MadeFor made_for;
  synth::Pass pass = synth::Pass::none;
  std::size_t number = 0;  // of those that one call makes for it in the pass
};

// `of_nodes` says it of each node of the problem; nothing for those outside of gradients.
void fold_calls(ChosenProblem& made, const Typed& typed, const std::vector<std::optional<FoldedNode>>& of_nodes);

}  // namespace tessera::typeck
