#include "typeck/layouts/pending.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera::typeck {

using synth::ArrayType;

namespace {

bool replicated_over(const ArrayType& type, const synth::AxisList& axes) {
  return std::none_of(axes.begin(), axes.end(), [&](const synth::AxisPart& part) { return type.layout().uses(part); });
}

bool equal_pending(const std::vector<PendingOperand>& operands, std::optional<synth::ReduceOp> kind) {
  const synth::Layout& first = operands.front().type->layout();
  return !first.pending().empty() && (!kind.has_value() || first.reduce() == *kind) &&
         std::all_of(operands.begin(), operands.end(), [&](const PendingOperand& operand) {
           const synth::Layout& own = operand.type->layout();
           return own.pending() == first.pending() && own.reduce() == first.reduce();
         });
}

using Operand = std::vector<PendingOperand>::const_iterator;

// The operand that is a pending sum, if it is the only pending one and the others are replicated over its axes.
std::optional<Operand> only_pending_sum(const std::vector<PendingOperand>& operands) {
  const auto pending = std::find_if(operands.begin(), operands.end(),
                                    [](const PendingOperand& operand) { return is_pending(*operand.type); });
  if (pending == operands.end() || pending->type->layout().reduce() != synth::ReduceOp::sum) return std::nullopt;
  const synth::AxisList& axes = pending->type->layout().pending();
  const bool others_fit = std::all_of(operands.begin(), operands.end(), [&](const PendingOperand& operand) {
    return &operand == &*pending || (!is_pending(*operand.type) && replicated_over(*operand.type, axes));
  });
  return others_fit ? std::optional(pending) : std::nullopt;
}

// The constant as the operation will see it: 1e-50 is 0 in f32.
std::optional<double> constant_of(const PendingOperand& operand) {
  if (!operand.constant.has_value() || operand.type->element() != synth::ElementType::f32) return operand.constant;
  return static_cast<double>(static_cast<float>(*operand.constant));
}

bool passes_product(const std::vector<PendingOperand>& operands) {
  const auto pending = only_pending_sum(operands);
  if (!pending.has_value()) return false;
  if (!synth::is_float((*pending)->type->element())) return true;
  return std::all_of(operands.begin(), operands.end(), [&](const PendingOperand& operand) {
    const auto factor = constant_of(operand);
    return &operand == &**pending || (factor.has_value() && *factor != 0 && std::abs(*factor) <= 1);
  });
}

bool passes_quotient(const std::vector<PendingOperand>& operands) {
  const auto pending = only_pending_sum(operands);
  if (pending != operands.begin() || !synth::is_float(operands.front().type->element())) return false;
  const auto divisor = constant_of(operands.back());
  return divisor.has_value() && std::isfinite(*divisor) && std::abs(*divisor) >= 1;
}

bool is_written(const ArrayType& type, const std::vector<std::string>& written) {
  const synth::AxisList& axes = type.layout().pending();
  return std::all_of(axes.begin(), axes.end(), [&](const synth::AxisPart& part) {
    return std::find(written.begin(), written.end(), type.mesh().axes()[part.axis].name) != written.end();
  });
}

// With one operand a contraction only adds elements up.
bool passes_contraction(const std::vector<PendingOperand>& operands, const std::vector<std::string>& written) {
  const auto pending = only_pending_sum(operands);
  if (!pending.has_value()) return false;
  const ArrayType& type = *(*pending)->type;
  return operands.size() == 1 || !synth::is_float(type.element()) || is_written(type, written);
}

}  // namespace

bool is_pending(const ArrayType& type) { return !type.layout().pending().empty(); }

bool passes(PendingRule rule, const std::vector<PendingOperand>& operands, const std::vector<std::string>& written) {
  switch (rule) {
    case PendingRule::resolve: return false;
    case PendingRule::unary: return true;
    case PendingRule::linear: return operands.front().type->layout().reduce() == synth::ReduceOp::sum;
    case PendingRule::equal_sums: return equal_pending(operands, synth::ReduceOp::sum);
    case PendingRule::product: return passes_product(operands);
    case PendingRule::quotient: return passes_quotient(operands);
    case PendingRule::contraction: return passes_contraction(operands, written);
    case PendingRule::equal_max: return equal_pending(operands, synth::ReduceOp::max);
    case PendingRule::equal_min: return equal_pending(operands, synth::ReduceOp::min);
    case PendingRule::equal_any: return equal_pending(operands, std::nullopt);
  }
  return false;
}

}  // namespace tessera::typeck
