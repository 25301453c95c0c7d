// Elementwise operations with broadcasting, contractions, reductions, take: all are index signatures.
#include <algorithm>

#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

Shape Inserter::broadcast_shape(const std::vector<Held>& operands) const {
  Shape shape;
  for (const Held& operand : operands) {
    const Shape& own = type(operand).shape();
    while (shape.size() < own.size()) shape.insert(0, 1);
    for (std::size_t d = 0; d < own.size(); ++d) {
      std::int64_t& extent = shape[shape.size() - own.size() + d];
      if (extent == 1) extent = own[d];
    }
  }
  return shape;
}

std::vector<Shape> Inserter::shapes_of(const std::vector<Held>& operands) const {
  std::vector<Shape> shapes;
  for (const Held& operand : operands) shapes.push_back(type(operand).shape());
  return shapes;
}

Signature Inserter::signature(Span span, const std::string& who, const synth::Operation& operation,
                              const std::vector<Held>& operands, ElementType element, const Shape& shape) const {
  return {synth::index_signature(operation, shapes_of(operands), element, shape), who, span, {}, element, shape};
}

MaybeHeld Inserter::compute_solved(const Signature& signature, synth::Operation operation, std::vector<Held> operands,
                                   const Want& want) {
  const auto solved = solve(signature, std::move(operands), want);
  if (!solved.has_value()) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Held& operand : solved->operands) nodes.push_back(operand.node());
  return compute(signature.span, solved->result, std::move(operation), std::move(nodes));
}

MaybeHeld Inserter::map(Span span, synth::MapOp op, std::vector<Held> operands, ElementType result_element,
                        const std::string& who, const Want& want) {
  const Signature own = signature(span, who, synth::Map{op}, operands, result_element, broadcast_shape(operands));
  auto solved = solve(own, std::move(operands), want);
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

MaybeHeld Inserter::contract(Span span, std::vector<Held> operands, const synth::Contract& contract,
                             const std::string& who, const Want& want, const std::vector<std::string>& index_names) {
  std::map<int, std::int64_t> extents;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto& indices = contract.operand_indices[k];
    for (std::size_t d = 0; d < indices.size(); ++d) extents[indices[d]] = type(operands[k]).shape()[d];
  }
  Shape shape;
  for (const std::uint8_t index : contract.result_indices) shape.push_back(extents.at(index));
  Signature own = signature(span, who, contract, operands, element(operands.front()), shape);
  own.index_names = index_names;
  return compute_solved(own, contract, std::move(operands), want);
}

MaybeHeld Inserter::reduce(Span span, const std::string& who, const Held& a, synth::ReduceKind kind,
                           const std::vector<std::size_t>& dimensions, const Want& want) {
  if (dimensions.empty()) return widened(a);
  const ArrayType from = type(a);
  Shape shape;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (std::ranges::find(dimensions, d) == dimensions.end()) shape.push_back(from.shape()[d]);
  }
  const synth::Reduce operation{kind, {dimensions.begin(), dimensions.end()}};
  return compute_solved(signature(span, who, operation, {a}, element(a), shape), operation, {a}, want);
}

MaybeHeld Inserter::broadcast(Span span, const std::string& who, const Held& a, const Shape& shape, const Want& want) {
  const synth::Map copy{synth::MapOp::copy};
  return compute_solved(signature(span, who, copy, {a}, type(a).element(), shape), copy, {a}, want);
}

MaybeHeld Inserter::take(Span span, const Held& table, const Held& ids, const Want& want) {
  const ArrayType rows = type(table);
  Shape shape = type(ids).shape();
  for (std::size_t d = 1; d < rows.rank(); ++d) shape.push_back(rows.shape()[d]);
  return compute_solved(signature(span, "`take`", synth::Take{}, {table, ids}, rows.element(), shape), synth::Take{},
                        {table, ids}, want);
}

}  // namespace tessera::typeck
