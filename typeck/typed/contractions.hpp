// The types of what is made on the way to an Einstein sum of several operands.
#pragma once

#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/program/operation.hpp"

namespace tessera::typeck {

// What this sum of these operands gives: indices keep their splits, and summed ones that are split leave it pending.
synth::ArrayType contracted(const synth::Contract& how, const std::vector<const synth::ArrayType*>& operands);

}  // namespace tessera::typeck
