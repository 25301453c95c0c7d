// What the tests of choosing share: random programs, and an enumerator that knows the rules of types and the prices of
// plans, and nothing of how a choice is searched.
#pragma once

#include <random>

#include "synth/choose/choose.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {

using Dice = std::mt19937_64;
std::size_t roll(Dice& dice, std::size_t sides);

// So many operations at random on a few parameters, some of them pinned, some with a next value; all results are
// wanted. Extents are small where they have to be cut unevenly, large elsewhere.
ChoiceProblem random_problem(const MeshRef& mesh, std::size_t operations, Dice& dice);

// The choice for a problem, which the verifier has to find right.
LayoutChoice verified_choice(const ChoiceProblem& problem, const Machine& machine = {},
                             const ChooseOptions& options = {});

// The least seconds of a program, by trying every layout of everything; nothing where that would take too long.
std::optional<double> least_by_enumeration(const ChoiceProblem& problem, const Machine& machine);

// The layouts that an operation may take and give, by the rules of types alone, whole axes in mesh order: of each its
// operands and, last, its result. `kinds`: in which ways something may be pending.
std::vector<std::vector<Layout>> accepted_layouts(const ChoiceProblem& problem, const ChoiceNode& node,
                                                  const std::vector<ReduceOp>& kinds);

// Machines: links that are assumed, slow ones, two levels; of unequal devices.
std::vector<Machine> machines_of(const Mesh& mesh);

}  // namespace tessera::synth::test
