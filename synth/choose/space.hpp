// The space of a choice: the layouts that an operation can take and give, from its index signature.
//
// A strategy puts each chosen axis, in one of its cuts, on one index of the operation, lets a pending sum over it pass,
// or leaves it unused: then all devices along it do the same work. An index is not split in more parts than it has
// elements; several axes on one index stand in mesh order, or in an order that a pin has.
//
// Example: of the product ij,jk->ik on x:4 there are four: x on i (rows), on k (columns), on j (both operands are split
// there, and the result is a pending sum), or on nothing; and of integers two more, where either operand is a sum.
#pragma once

#include <optional>
#include <vector>

#include "synth/choose/strategy.hpp"

namespace tessera::synth {

// The operation of these operands and this result, on the chosen axes; in a fixed order, none twice. `kinds`: how
// anything may be pending in this program. A node's pin is not looked at.
std::vector<Strategy> strategies_of(const SpaceOf& space, const ChoiceNode& node,
                                    const std::vector<ChoiceValue>& operands, const ChoiceValue& result,
                                    const std::vector<ReduceOp>& kinds);

// The space of a problem's nodes.
SpaceOf space_of(const ChoiceProblem& problem);
// In which ways something may be pending in it.
std::vector<ReduceOp> kinds_of_parts(const ChoiceProblem& problem);

}  // namespace tessera::synth
