// Types of elementwise operations: elements, broadcasting, and which of them a pending array may pass through.
#include <algorithm>

#include "synth/program/type_rules.hpp"

namespace tessera::synth {

namespace {

enum class Elements : std::uint8_t {
  numbers,  // numbers of one type, and a result of it
  ordered,  // one type that is computed with
  any,      // one type, any
  floats,   // floats of one type
  compare,  // one type; the result is bool
  logic,    // bool
  choose,   // bool, then two of the result's type
  convert,  // any to any, but storage types only from and to f32
};

Elements elements_rule(MapOp op) {
  switch (op) {
    case MapOp::add:
    case MapOp::subtract:
    case MapOp::multiply:
    case MapOp::divide:
    case MapOp::remainder:
    case MapOp::power:
    case MapOp::negate:
    case MapOp::relu:
    case MapOp::abs:
    case MapOp::sign:
    case MapOp::floor: return Elements::numbers;
    case MapOp::minimum:
    case MapOp::maximum:
    case MapOp::clip: return Elements::ordered;
    case MapOp::copy: return Elements::any;
    case MapOp::equal:
    case MapOp::not_equal:
    case MapOp::less:
    case MapOp::less_equal:
    case MapOp::greater:
    case MapOp::greater_equal: return Elements::compare;
    case MapOp::logical_and:
    case MapOp::logical_or:
    case MapOp::logical_not: return Elements::logic;
    case MapOp::exp:
    case MapOp::exp2:
    case MapOp::log:
    case MapOp::sqrt:
    case MapOp::rsqrt:
    case MapOp::tanh:
    case MapOp::sigmoid:
    case MapOp::gelu:
    case MapOp::erf:
    case MapOp::sin:
    case MapOp::cos: return Elements::floats;
    case MapOp::select: return Elements::choose;
    case MapOp::cast: return Elements::convert;
  }
  return Elements::any;
}

bool all_are(const Operands& operands, ElementType element) {
  return std::all_of(operands.begin(), operands.end(), [&](const ArrayType* o) { return o->element() == element; });
}

bool converts(ElementType from, ElementType to) {
  return (!is_storage(from) || to == ElementType::f32) && (!is_storage(to) || from == ElementType::f32);
}

bool elements_fit(MapOp op, const Operands& operands, const ArrayType& result) {
  const ElementType element = result.element();
  const bool computes = !is_storage(operands.back()->element());
  switch (elements_rule(op)) {
    case Elements::numbers: return computes && element != ElementType::boolean && all_are(operands, element);
    case Elements::ordered: return computes && all_are(operands, element);
    case Elements::any: return all_are(operands, element);
    case Elements::floats: return is_float(element) && all_are(operands, element);
    case Elements::compare:
      return computes && element == ElementType::boolean && all_are(operands, operands[0]->element());
    case Elements::logic: return element == ElementType::boolean && all_are(operands, element);
    case Elements::choose:
      return computes && operands[0]->element() == ElementType::boolean && operands[1]->element() == element &&
             operands[2]->element() == element;
    case Elements::convert: return converts(operands[0]->element(), element);
  }
  return false;
}

std::optional<std::string> broadcast_error(const ArrayType& operand, const ArrayType& result) {
  if (operand.rank() > result.rank()) return "an operand has more dimensions than the result";
  const std::size_t missing = result.rank() - operand.rank();
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    const bool repeats = operand.shape()[d] == 1 && result.shape()[d + missing] != 1;
    if (repeats && !operand.layout().split(d).empty()) return "a dimension that repeats is split";
    if (repeats) continue;
    if (operand.mesh() != result.mesh()) return "an operand is on another mesh";
    if (!same_cuts(operand, d, result, d + missing)) return "an operand is not cut as the result is";
  }
  return std::nullopt;
}

// A pending array passes through what is linear in it: every pending operand is pending as the result is.
bool pending_fits(MapOp op, const Operands& operands, const ArrayType& result) {
  const auto is_pending = [](const ArrayType* o) { return !o->layout().pending().empty(); };
  const auto count = static_cast<std::size_t>(std::count_if(operands.begin(), operands.end(), is_pending));
  if (result.layout().pending().empty()) return count == 0;
  for (const ArrayType* operand : operands) {
    if (!is_pending(operand)) continue;
    const bool alike = operand->mesh() == result.mesh() && operand->layout().pending() == result.layout().pending() &&
                       operand->layout().reduce() == result.layout().reduce();
    if (!alike) return false;
  }
  const ReduceOp reduce = result.layout().reduce();
  const bool all = count == operands.size();
  if (op == MapOp::copy) return all;
  if (op == MapOp::maximum) return all && reduce == ReduceOp::max;
  if (op == MapOp::minimum) return all && reduce == ReduceOp::min;
  if (reduce != ReduceOp::sum) return false;
  if (op == MapOp::add || op == MapOp::subtract || op == MapOp::negate) return all;
  if (op == MapOp::multiply) return count == 1;
  return op == MapOp::divide && count == 1 && is_pending(operands[0]) && is_float(result.element());
}

}  // namespace

std::optional<std::string> map_error(const Map& map, const Operands& operands, const ArrayType& result) {
  if (operands.size() != arity(map.op)) return "it has the wrong number of operands";
  if (!elements_fit(map.op, operands, result)) return "its element types do not fit";
  for (const ArrayType* operand : operands) {
    if (operand->devices() != result.devices()) return "an operand is on other devices";
    if (auto error = broadcast_error(*operand, result)) return error;
  }
  if (!pending_fits(map.op, operands, result)) return "a pending operand may not pass through it";
  return std::nullopt;
}

}  // namespace tessera::synth
