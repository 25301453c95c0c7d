// An `auto fn` as a problem of synth: operations with shapes, joins for all else, pins for what the text says; and
// which node of the problem each typed node is, so that the choice can be taken over (typeck/insert/chosen.cpp).
//
// Say, `auto fn f(x: T?, w: T auto) -> T as w = x @ w` is a join with the pin of x's layout, a join for w, which
// uses the result, and the contraction.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "synth/program/choice/choice.hpp"
#include "synth/program/choice/problem.hpp"
#include "typeck/layouts/chosen_problem.hpp"
#include "typeck/layouts/whole.hpp"
#include "typeck/open/open.hpp"

namespace tessera::typeck {

struct ProblemOptions {
  bool is_untied = false;  // each call is laid out by itself
  // Over one axis; over more, strategies grow with the square of their number. Few nodes are laid out call by call,
  // which is never dearer, and as fast.
  std::size_t tied_above = 1'000;
};

// `arguments` are the layouts of the function's arguments; nothing: chosen. Fails with auto-mesh.
base::Result<ChosenProblem> problem_of(const WholeFunction& whole, const open::ChosenLayouts& chosen,
                                       const std::vector<std::optional<synth::Layout>>& arguments,
                                       const ProblemOptions& options = {});

}  // namespace tessera::typeck
