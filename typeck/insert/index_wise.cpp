// Elementwise operations with broadcasting, contractions, reductions, take: all are index signatures.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

namespace {

PendingRule pending_rule(synth::MapOp op) {
  switch (op) {
    case synth::MapOp::add:
    case synth::MapOp::subtract: return PendingRule::equal_sums;
    case synth::MapOp::negate: return PendingRule::linear;
    case synth::MapOp::multiply: return PendingRule::product;
    case synth::MapOp::divide: return PendingRule::quotient;
    case synth::MapOp::maximum: return PendingRule::equal_max;
    case synth::MapOp::minimum: return PendingRule::equal_min;
    case synth::MapOp::remainder:
    case synth::MapOp::power:
    case synth::MapOp::equal:
    case synth::MapOp::not_equal:
    case synth::MapOp::less:
    case synth::MapOp::less_equal:
    case synth::MapOp::greater:
    case synth::MapOp::greater_equal:
    case synth::MapOp::logical_and:
    case synth::MapOp::logical_or:
    case synth::MapOp::logical_not:
    case synth::MapOp::exp:
    case synth::MapOp::exp2:
    case synth::MapOp::log:
    case synth::MapOp::sqrt:
    case synth::MapOp::rsqrt:
    case synth::MapOp::tanh:
    case synth::MapOp::sigmoid:
    case synth::MapOp::relu:
    case synth::MapOp::gelu:
    case synth::MapOp::erf:
    case synth::MapOp::abs:
    case synth::MapOp::sign:
    case synth::MapOp::floor:
    case synth::MapOp::sin:
    case synth::MapOp::cos:
    case synth::MapOp::select:
    case synth::MapOp::clip:
    case synth::MapOp::cast:
    case synth::MapOp::copy: return PendingRule::resolve;
  }
  return PendingRule::resolve;
}

synth::ReduceOp pending_of(synth::ReduceKind kind) {
  switch (kind) {
    case synth::ReduceKind::max: return synth::ReduceOp::max;
    case synth::ReduceKind::min: return synth::ReduceOp::min;
    case synth::ReduceKind::sum:
    case synth::ReduceKind::product: return synth::ReduceOp::sum;
  }
  return synth::ReduceOp::sum;
}

// The indices of an array that is broadcast to a shape: dimensions that repeat are whole.
std::vector<int> broadcast_indices(const Shape& own, const Shape& shape) {
  std::vector<int> indices;
  for (std::size_t d = 0; d < own.size(); ++d) {
    const std::size_t index = shape.size() - own.size() + d;
    indices.push_back(own[d] == shape[index] ? static_cast<int>(index) : kWhole);
  }
  return indices;
}

std::vector<int> counted(std::size_t count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

Signature Inserter::aligned(Span span, const std::vector<Held>& operands, const Shape& shape,
                            ElementType result_element, PendingRule pending, const std::string& who) const {
  Signature signature;
  signature.who = who;
  signature.span = span;
  signature.element = result_element;
  signature.shape = shape;
  signature.pending = pending;
  signature.index_wise = true;
  signature.computes = true;
  signature.result = counted(shape.size());
  for (const Held& operand : operands) signature.operands.push_back(broadcast_indices(type(operand).shape(), shape));
  return signature;
}

MaybeHeld Inserter::map(Span span, synth::MapOp op, std::vector<Held> operands, ElementType result_element,
                        const std::string& who, const Want& want) {
  std::size_t rank = 0;
  for (const Held& operand : operands) rank = std::max(rank, type(operand).rank());
  Shape shape(rank, 1);
  for (const Held& operand : operands) {
    const Shape& own = type(operand).shape();
    for (std::size_t d = 0; d < own.size(); ++d) {
      std::int64_t& extent = shape[rank - own.size() + d];
      if (extent == 1) extent = own[d];
    }
  }
  const Signature signature = aligned(span, operands, shape, result_element, pending_rule(op), who);
  auto solved = solve(signature, std::move(operands), want);
  if (!solved.has_value()) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Held& operand : solved->operands) nodes.push_back(operand.node());
  const bool is_done = op == synth::MapOp::cast && type(nodes.front()) == solved->result;  // by being widened
  if (is_done) return solved->operands.front();
  return compute(span, solved->result, synth::Map{op}, std::move(nodes));
}

Held Inserter::widened(const Held& value) {
  const ArrayType own = type(value);
  if (!synth::is_storage(own.element())) return value;
  auto wide = own.with_element(ElementType::f32);
  TESSERA_CHECK(wide.ok(), "an array cannot be widened");
  Held result = compute(value.span, std::move(wide).value(), synth::Map{synth::MapOp::cast}, {value.node()});
  result.expr = value.expr;
  result.known = value.known;
  return result;
}

MaybeHeld Inserter::contract(Span span, std::vector<Held> operands, std::vector<std::vector<int>> indices,
                             std::vector<int> result, const std::string& who, const Want& want,
                             const std::vector<std::string>& index_names) {
  std::map<int, std::int64_t> extents;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    for (std::size_t d = 0; d < indices[k].size(); ++d) extents[indices[k][d]] = type(operands[k]).shape()[d];
  }
  Signature signature;
  signature.who = who;
  signature.span = span;
  signature.operands = std::move(indices);
  signature.result = std::move(result);
  signature.index_names = index_names;
  signature.element = element(operands.front());
  signature.computes = true;
  for (const int index : signature.result) signature.shape.push_back(extents.at(index));
  signature.pending = PendingRule::contraction;
  auto solved = solve(signature, std::move(operands), want);
  if (!solved.has_value()) return std::nullopt;
  synth::Contract operation;
  std::vector<NodeId> nodes;
  for (std::size_t k = 0; k < solved->operands.size(); ++k) {
    operation.operand_indices.emplace_back(signature.operands[k].begin(), signature.operands[k].end());
    nodes.push_back(solved->operands[k].node());
  }
  operation.result_indices.assign(signature.result.begin(), signature.result.end());
  return compute(span, solved->result, std::move(operation), std::move(nodes));
}

MaybeHeld Inserter::reduce(Span span, const std::string& who, const Held& a, synth::ReduceKind kind,
                           const std::vector<std::size_t>& dimensions, const Want& want) {
  if (dimensions.empty()) return widened(a);
  const ArrayType from = type(a);
  Signature signature;
  signature.who = who;
  signature.span = span;
  signature.element = synth::computed_as(from.element());
  signature.computes = true;
  signature.contraction = pending_of(kind);
  if (kind == synth::ReduceKind::sum) signature.pending = PendingRule::linear;
  signature.operands = {counted(from.rank())};
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end()) continue;
    signature.result.push_back(static_cast<int>(d));
    signature.shape.push_back(from.shape()[d]);
  }
  auto solved = solve(signature, {a}, want);
  if (!solved.has_value()) return std::nullopt;
  return compute(span, solved->result, synth::Reduce{kind, {dimensions.begin(), dimensions.end()}},
                 {solved->operands[0].node()});
}

MaybeHeld Inserter::broadcast(Span span, const std::string& who, const Held& a, const Shape& shape, const Want& want) {
  Signature signature = aligned(span, {a}, shape, type(a).element(), PendingRule::resolve, who);
  signature.computes = false;
  auto solved = solve(signature, {a}, want);
  if (!solved.has_value()) return std::nullopt;
  return compute(span, solved->result, synth::Map{synth::MapOp::copy}, {solved->operands[0].node()});
}

// Index 0 is the table's row: it disappears, so a table split by rows leaves the result pending.
MaybeHeld Inserter::take(Span span, const Held& table, const Held& ids, const Want& want) {
  const ArrayType rows = type(table);
  const ArrayType where = type(ids);
  Signature signature;
  signature.who = "`take`";
  signature.span = span;
  signature.element = rows.element();
  // A table without pending sums of its elements is gathered instead.
  signature.contraction_may_split = rows.element() != ElementType::boolean && !synth::is_storage(rows.element());
  std::vector<int> of_table = {0};
  std::vector<int> of_ids;
  int next = 1;
  for (std::size_t d = 0; d < where.rank(); ++d) {
    of_ids.push_back(next++);
    signature.shape.push_back(where.shape()[d]);
  }
  for (std::size_t d = 1; d < rows.rank(); ++d) {
    of_table.push_back(next++);
    signature.shape.push_back(rows.shape()[d]);
  }
  signature.result.resize(static_cast<std::size_t>(next) - 1);
  std::iota(signature.result.begin(), signature.result.end(), 1);
  signature.operands = {std::move(of_table), std::move(of_ids)};
  auto solved = solve(signature, {table, ids}, want);
  if (!solved.has_value()) return std::nullopt;
  return compute(span, solved->result, synth::Take{}, {solved->operands[0].node(), solved->operands[1].node()});
}

}  // namespace tessera::typeck
