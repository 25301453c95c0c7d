// Rule 3: which operations a pending reduction passes through.
#pragma once

#include <vector>

#include "synth/layout/array_type.hpp"
#include "typeck/layouts/signature.hpp"

namespace tessera::typeck {

bool is_pending(const synth::ArrayType& type);

// Do these operands, some of them pending, pass through an operation of this rule as they are?
bool passes(PendingRule rule, const std::vector<const synth::ArrayType*>& types);

}  // namespace tessera::typeck
