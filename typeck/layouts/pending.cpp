#include "typeck/layouts/pending.hpp"

#include <algorithm>
#include <optional>

namespace tessera::typeck {

using synth::ArrayType;

namespace {

bool replicated_over(const ArrayType& type, const synth::AxisList& axes) {
  return std::none_of(axes.begin(), axes.end(), [&](const synth::AxisPart& part) { return type.layout().uses(part); });
}

bool equal_pending(const std::vector<const ArrayType*>& types, std::optional<synth::ReduceOp> kind) {
  const synth::Layout& first = types.front()->layout();
  return !first.pending().empty() && (!kind.has_value() || first.reduce() == *kind) &&
         std::all_of(types.begin(), types.end(), [&](const ArrayType* type) {
           return type->layout().pending() == first.pending() && type->layout().reduce() == first.reduce();
         });
}

// Exactly one operand is a pending sum, and the others are replicated over its axes.
bool one_pending_sum(const std::vector<const ArrayType*>& types, bool first_only) {
  const auto pending =
      std::find_if(types.begin(), types.end(), [](const ArrayType* type) { return is_pending(*type); });
  if (pending == types.end() || (*pending)->layout().reduce() != synth::ReduceOp::sum) return false;
  if (first_only && pending != types.begin()) return false;
  return std::all_of(types.begin(), types.end(), [&](const ArrayType* type) {
    return type == *pending || (!is_pending(*type) && replicated_over(*type, (*pending)->layout().pending()));
  });
}

}  // namespace

bool is_pending(const ArrayType& type) { return !type.layout().pending().empty(); }

bool passes(PendingRule rule, const std::vector<const ArrayType*>& types) {
  switch (rule) {
    case PendingRule::resolve: return false;
    case PendingRule::unary: return true;
    case PendingRule::linear: return types.front()->layout().reduce() == synth::ReduceOp::sum;
    case PendingRule::equal_sums: return equal_pending(types, synth::ReduceOp::sum);
    case PendingRule::one_of: return one_pending_sum(types, false);
    case PendingRule::first_only: return one_pending_sum(types, true);
    case PendingRule::equal_max: return equal_pending(types, synth::ReduceOp::max);
    case PendingRule::equal_min: return equal_pending(types, synth::ReduceOp::min);
    case PendingRule::equal_any: return equal_pending(types, std::nullopt);
  }
  return false;
}

}  // namespace tessera::typeck
