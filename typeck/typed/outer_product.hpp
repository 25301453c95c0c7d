// Outer products as products of elements.
#pragma once

#include <optional>
#include <vector>

#include "synth/program/operation.hpp"

namespace tessera::typeck {

// Where an Einstein sum of two operands sums nothing, its elements are products of one element of each. An elementwise
// step makes them where they are read, and `rest - outer(column, row)` goes through memory once.
//
// For each operand the type under which it is broadcast as the result wants it: with dimensions of extent 1 for those
// that it lacks, but for leading ones. Nothing where something is summed or pending, or where an operand has its
// dimensions in another order than the result.
// Of `i,j->ij` the types may be f32[N@x, 1] and f32[M].
std::optional<std::vector<synth::ArrayType>> outer_factors(const synth::Contract& sum,
                                                           const std::vector<const synth::ArrayType*>& operands);

}  // namespace tessera::typeck
