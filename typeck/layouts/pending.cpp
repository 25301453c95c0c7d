#include "typeck/layouts/pending.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera::typeck {

using synth::ArrayType;

namespace {

// The constant as the operation will see it: 1e-50 is 0 in f32.
std::optional<double> constant_of(const PendingOperand& operand) {
  if (!operand.constant.has_value() || operand.type->element() != synth::ElementType::f32) return operand.constant;
  return static_cast<double>(static_cast<float>(*operand.constant));
}

bool keeps_sums(const PendingOperand& factor) {
  const auto value = constant_of(factor);
  return value.has_value() && *value != 0 && std::abs(*value) <= 1;
}

bool divides_sums(const PendingOperand& divisor) {
  const auto value = constant_of(divisor);
  return value.has_value() && std::isfinite(*value) && std::abs(*value) >= 1;
}

bool is_written(const ArrayType& type, const std::vector<std::string>& written) {
  const synth::AxisList& axes = type.layout().pending();
  return std::ranges::all_of(axes, [&](const synth::AxisPart& part) {
    return std::ranges::find(written, type.mesh().axes()[part.axis].name) != written.end();
  });
}

}  // namespace

bool is_pending(const ArrayType& type) { return !type.layout().pending().empty(); }

bool passes(const synth::IndexSignature& signature, const std::vector<PendingOperand>& operands,
            const std::vector<std::string>& written) {
  std::vector<const ArrayType*> types;
  for (const PendingOperand& operand : operands) types.push_back(operand.type);
  if (!synth::passes(signature, types)) return false;
  const auto is_sum = [](const ArrayType* type) { return is_pending(*type); };
  const auto pending = std::ranges::find_if(types, is_sum);
  const bool is_exact = operands.size() == 1 || !synth::is_rounded((*pending)->element());
  switch (signature.pending) {
    case synth::PendingRule::product:
      return is_exact || (*pending)->layout().reduce() == synth::ReduceOp::product ||
             std::ranges::all_of(operands, [&](const PendingOperand& operand) {
               return operand.type == *pending || keeps_sums(operand);
             });
    case synth::PendingRule::quotient: return divides_sums(operands.back());
    // With one operand a contraction only adds elements up.
    case synth::PendingRule::contraction:
      return std::ranges::count_if(types, is_sum) == 1 && (is_exact || is_written(**pending, written));
    case synth::PendingRule::resolve:
    case synth::PendingRule::unary:
    case synth::PendingRule::linear:
    case synth::PendingRule::equal_sums:
    case synth::PendingRule::equal_max:
    case synth::PendingRule::equal_min:
    case synth::PendingRule::equal_any: return true;
  }
  return false;
}

}  // namespace tessera::typeck
