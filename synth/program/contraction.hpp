// Einstein sums of several operands as sums of one operand or two, in an order that takes few operations.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "synth/program/operation.hpp"

namespace tessera::synth {

// Operands are counted first, then the results of the steps before.
struct ContractionStep {
  std::vector<std::size_t> operands;
  Contract how;
};

// First every operand alone is summed over the indices that nothing else has; then operands are multiplied in pairs,
// the last of which gives the result. Of all orders (of more than eight operands: of those that are left when the
// cheapest pairs have gone first) the one with the fewest multiplications is taken, then the one with the smallest
// intermediates. It depends on the shapes alone.
// Nothing where the sum is best made at once: of one operand, of two without an index of their own, of no terms, and
// where every order has an intermediate that is far larger than the operands and the result.
// Example: `ab,cd,ef->` is five steps, three sums and two products of scalars.
std::vector<ContractionStep> contraction_steps(const Contract& contract, std::span<const Shape> operands);

}  // namespace tessera::synth
