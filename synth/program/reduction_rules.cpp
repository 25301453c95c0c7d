// Types of operations that sum: reductions of dimensions and Einstein sums. A dimension that is split and summed
// becomes pending.
#include <algorithm>

#include "synth/program/type_checks.hpp"

namespace tessera::synth {

namespace {

std::optional<ReduceOp> pending_by(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum: return ReduceOp::sum;
    case ReduceKind::max: return ReduceOp::max;
    case ReduceKind::min: return ReduceOp::min;
    case ReduceKind::product: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Error reduce_error(const Reduce& reduce, const Operands& operands, const ArrayType& result) {
  if (auto error = one_operand(operands, result)) return error;
  const ArrayType& operand = *operands[0];
  if (!ascending(reduce.dimensions, operand.rank()))
    return "its dimensions are not ascending dimensions of the operand";
  const bool sums = reduce.kind == ReduceKind::sum || reduce.kind == ReduceKind::product;
  if (operand.element() != result.element() || (sums && operand.element() == ElementType::boolean)) {
    return "its element types do not fit";
  }
  const Dimensions kept = others(reduce.dimensions, operand.rank());
  if (kept.size() != result.rank() || !dimensions_follow(operand, kept, result))
    return "its result is not cut as it should be";
  AxisList pending = operand.layout().pending();
  for (const std::uint8_t d : reduce.dimensions) {
    pending.insert(pending.end(), operand.layout().split(d).begin(), operand.layout().split(d).end());
  }
  if (pending.empty() && !is_pending(result)) return std::nullopt;
  const auto by = pending_by(reduce.kind);
  if (!by) return "a product cannot be pending";
  if (is_pending(operand) && operand.layout().reduce() != *by) return "its operand is pending by another reduction";
  if (!pending_is(result, pending, *by)) return "its result is not pending as it should be";
  return std::nullopt;
}

Error arg_reduce_error(const ArgReduce& reduce, const Operands& operands, const ArrayType& result) {
  if (auto error = one_operand(operands, result)) return error;
  const ArrayType& operand = *operands[0];
  if (!ascending(reduce.dimensions, operand.rank()))
    return "its dimensions are not ascending dimensions of the operand";
  if (result.element() != ElementType::i64) return "its result is not of i64";
  for (const std::uint8_t d : reduce.dimensions) {
    if (split(operand, d)) return "a dimension it reduces is split";
  }
  if (is_pending(operand) || is_pending(result)) return "its operand or result is pending";
  const Dimensions kept = others(reduce.dimensions, operand.rank());
  if (kept.size() != result.rank() || !dimensions_follow(operand, kept, result))
    return "its result is not cut as it should be";
  return std::nullopt;
}

namespace {

// The place where an index of an einsum stands first, and whether the result has it.
struct IndexUse {
  const ArrayType* type = nullptr;
  std::size_t dimension = 0;
  bool in_result = false;
};

Error note_index(std::vector<IndexUse>& uses, const ArrayType& type, std::size_t dimension, std::uint8_t index) {
  IndexUse& use = uses[index];
  if (use.type == nullptr) {
    use = IndexUse{&type, dimension, false};
    return std::nullopt;
  }
  if (!same_cuts(*use.type, use.dimension, type, dimension)) return "an index is not cut alike wherever it stands";
  return std::nullopt;
}

bool repeated_index_is_split(const ArrayType& type, const Dimensions& indices) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (std::count(indices.begin(), indices.end(), indices[i]) > 1 && split(type, i)) return true;
  }
  return false;
}

Error contract_operand_error(const ArrayType& operand, const Dimensions& indices, const ArrayType& result,
                             std::vector<IndexUse>& uses) {
  if (indices.size() != operand.rank()) return "an operand has not one index for each dimension";
  if (operand.element() != result.element()) return "its element types do not fit";
  if (operand.mesh() != result.mesh()) return "an operand is on another mesh";
  if (repeated_index_is_split(operand, indices)) return "a diagonal is split";
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (auto error = note_index(uses, operand, d, indices[d])) return error;
  }
  return std::nullopt;
}

Error contract_pending_error(const Operands& operands, const std::vector<IndexUse>& uses, const ArrayType& result) {
  // Operands pending over different axes: every device multiplies a part of one sum by a part of the other.
  AxisList pending;
  for (const ArrayType* operand : operands) {
    if (!is_pending(*operand)) continue;
    if (operand->layout().reduce() != ReduceOp::sum) return "its operands may not be pending like this";
    pending.insert(pending.end(), operand->layout().pending().begin(), operand->layout().pending().end());
    if (!Layout::make(result.mesh(), {}, pending).ok()) return "its operands may not be pending like this";
  }
  for (const IndexUse& use : uses) {
    if (use.type == nullptr || use.in_result) continue;
    const AxisList& axes = use.type->layout().split(use.dimension);
    pending.insert(pending.end(), axes.begin(), axes.end());
  }
  if (!pending_is(result, pending, ReduceOp::sum)) return "its result is not pending as it should be";
  return std::nullopt;
}

}  // namespace

Error contract_error(const Contract& contract, const Operands& operands, const ArrayType& result) {
  if (operands.empty() || operands.size() != contract.operand_indices.size())
    return "it has the wrong number of operands";
  if (result.element() == ElementType::boolean) return "its element types do not fit";
  if (contract.result_indices.size() != result.rank()) return "its result has not one index for each dimension";
  std::vector<IndexUse> uses(256);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (auto error = contract_operand_error(*operands[k], contract.operand_indices[k], result, uses)) return error;
  }
  for (std::size_t d = 0; d < result.rank(); ++d) {
    IndexUse& use = uses[contract.result_indices[d]];
    if (use.type == nullptr || use.in_result) return "an index of the result is in no operand, or twice in the result";
    use.in_result = true;
    if (!same_cuts(*use.type, use.dimension, result, d)) return "its result is not cut as it should be";
  }
  return contract_pending_error(operands, uses, result);
}

}  // namespace tessera::synth
