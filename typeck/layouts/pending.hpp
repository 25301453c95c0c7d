// Rule 3: which operations a pending reduction passes through.
//
// An operation on the parts of a sum must give the same value as on the finished sum, whatever the parts are: otherwise
// a program's values would depend on its layouts. Integers wrap, so products distribute over their sums. Floats do not:
// the parts 1 and 0 times infinity are infinity and NaN, and 3e38 and -3e38 times 2 overflow where their sum does not.
// A factor c with 0 < |c| <= 1 neither overflows nor turns a zero into a NaN, and neither does a finite divisor of at
// least 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/program/signature.hpp"

namespace tessera::typeck {

bool is_pending(const synth::ArrayType& type);

// An operand as this rule sees it.
struct PendingOperand {
  const synth::ArrayType* type = nullptr;
  std::optional<double> constant;  // of a scalar that is known when the program is checked
};

// Do these operands, some of them pending, pass through the operation as they are? `written` names the mesh axes over
// which the program itself says that the result is a pending sum.
bool passes(const synth::IndexSignature& signature, const std::vector<PendingOperand>& operands,
            const std::vector<std::string>& written);

}  // namespace tessera::typeck
