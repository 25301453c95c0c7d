// Elementwise operations with broadcasting, contractions, reductions, take: all are index signatures.
#include <algorithm>
#include <ranges>

#include "typeck/insert/inserter.hpp"
#include "typeck/layouts/candidates.hpp"
#include "typeck/layouts/cutting.hpp"
#include "typeck/layouts/fetching.hpp"
#include "typeck/layouts/parts.hpp"
#include "typeck/layouts/records.hpp"

namespace tessera::typeck {

std::vector<Operand> Redistributions::seen(const std::vector<Held>& values) const {
  std::vector<Operand> all;
  all.reserve(values.size());
  for (const Held& value : values) all.push_back(seen(value));
  return all;
}

MaybeHeld TypedOperations::built(Span span, const synth::Operation& operation, std::vector<Held> operands,
                                 NodeLayouts layouts, bool computes) {
  const auto values = brought(std::move(operands), std::move(layouts.uses), computes);
  if (!values.has_value()) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Held& value : *values) nodes.push_back(value.node());
  const ArrayType& result = layouts.types.at(0);
  const auto* map = std::get_if<synth::Map>(&operation);
  const bool is_done =
      map != nullptr && map->op == synth::MapOp::cast && type(nodes.front()) == result;  // by being widened
  if (is_done) return values->front();
  return compute(span, result, operation, std::move(nodes));
}

Held Redistributions::widened(const Held& value) {
  if (!synth::is_storage(type(value).element())) return value;
  Held result = compute(value.span, typeck::widened(type(value)), synth::Map{synth::MapOp::cast}, {value.node()});
  result.expr = value.expr;
  result.known = value.known;
  return result;
}

// ---- What a gradient is made of

Signature TypedOperations::signature(Span span, const std::string& who, const synth::Operation& operation,
                                     const std::vector<Held>& operands, ElementType element, const Shape& shape) const {
  std::vector<Shape> shapes;
  for (const Held& operand : operands) shapes.push_back(type(operand).shape());
  return {synth::index_signature(operation, shapes, element, shape), who, span, {}, element, shape};
}

MaybeHeld TypedOperations::compute_solved(const Signature& signature, const synth::Operation& operation,
                                          std::vector<Held> operands, const Want& want) {
  auto layouts = greedy_.solve(signature, seen(operands), want);
  if (!layouts.has_value()) return std::nullopt;
  return built(signature.span, operation, std::move(operands), std::move(*layouts), signature.indices.computes);
}

MaybeHeld TypedOperations::map(Span span, synth::MapOp op, std::vector<Held> operands, ElementType result_element,
                               const std::string& who, const Want& want) {
  std::vector<Shape> shapes;
  for (const Held& operand : operands) shapes.push_back(type(operand).shape());
  const Signature own = signature(span, who, synth::Map{op}, operands, result_element, broadcast_shape(shapes));
  return compute_solved(own, synth::Map{op}, std::move(operands), want);
}

MaybeHeld TypedOperations::contract(Span span, std::vector<Held> operands, const synth::Contract& contract,
                                    const std::string& who, const Want& want) {
  std::map<int, std::int64_t> extents;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto& indices = contract.operand_indices[k];
    for (std::size_t d = 0; d < indices.size(); ++d) extents[indices[d]] = type(operands[k]).shape()[d];
  }
  Shape shape;
  for (const std::uint8_t index : contract.result_indices) shape.push_back(extents.at(index));
  const Signature own = signature(span, who, contract, operands, element(operands.front()), shape);
  return compute_solved(own, contract, std::move(operands), want);
}

MaybeHeld TypedOperations::reduce(Span span, const std::string& who, const Held& a, synth::ReduceKind kind,
                                  const std::vector<std::size_t>& dimensions, const Want& want) {
  if (dimensions.empty()) return widened(a);
  Shape shape;
  for (std::size_t d = 0; d < type(a).rank(); ++d) {
    if (std::ranges::find(dimensions, d) == dimensions.end()) shape.push_back(type(a).shape()[d]);
  }
  const synth::Reduce operation{kind, {dimensions.begin(), dimensions.end()}};
  return compute_solved(signature(span, who, operation, {a}, element(a), shape), operation, {a}, want);
}

// Each tile finds the first of the finished extremes; where the lines are whole there is nothing to finish.
MaybeHeld TypedOperations::arg_reduced(Span span, const std::string& who, const Held& a, const synth::ArgReduce& how,
                                       NodeLayouts layouts) {
  const MaybeHeld ready = brought(a, std::move(layouts.uses[0]));
  if (!ready.has_value()) return std::nullopt;
  const Held array = widened(*ready);
  const ArrayType result = layouts.types.at(0);
  if (!goes_by_records(type(array), how)) return compute(span, result, how, {array.node()});
  const MaybeHeld extremes =
      reduce(span, who, array, extreme_of(how), {how.dimensions.begin(), how.dimensions.end()}, {});
  if (!extremes.has_value()) return std::nullopt;
  Reason why{Reason::Asker::pending_resolution, who, span, {}, std::move(layouts.compared)};
  const MaybeHeld whole = redistribute(*extremes, finished_in_place(type(*extremes)), std::move(why));
  if (!whole.has_value()) return std::nullopt;
  return compute(span, result, synth::Find{how.max, how.dimensions}, {array.node(), whole->node()});
}

// Where lines are not whole, each tile gives its greatest, which are brought together as the result lies.
MaybeHeld TypedOperations::greatest(Span span, const std::string& who, const Held& a, const synth::Greatest& how,
                                    NodeLayouts layouts) {
  const MaybeHeld ready = brought(a, std::move(layouts.uses[0]));
  if (!ready.has_value()) return std::nullopt;
  const Held array = widened(*ready);
  const ArrayType result = layouts.types.at(0);
  if (type(array).layout().split(type(array).rank() - 1).empty()) return compute(span, result, how, {array.node()});
  const auto own = candidates_of(type(array), how);
  TESSERA_CHECK(own.has_value(), "tiles have not so many elements as were counted on");
  std::vector<NodeId> nodes;
  for (const bool positions : {false, true}) {
    if (positions && !how.positions) continue;
    const Reason why{Reason::Asker::operation, who, span, {}, layouts.compared};
    const MaybeHeld some = candidates(span, array, {how.count, positions}, *own, result, why);
    if (!some.has_value()) return std::nullopt;
    nodes.push_back(some->node());
  }
  return compute(span, result, how, std::move(nodes));
}

// Positions are on their way in as many bytes as they need.
MaybeHeld TypedOperations::candidates(Span span, const Held& array, const synth::Candidates& how, const ArrayType& own,
                                      const ArrayType& result, Reason why) {
  const ElementType carried = how.positions ? element_of_positions(type(array)) : own.element();
  const auto cast_to = [&](const Held& a, ElementType element) {
    return compute(span, *type(a).with_element(element), synth::Map{synth::MapOp::cast}, {a.node()});
  };
  const auto target = reports_.with_layout(span, *own.with_element(carried), result.layout());
  if (!target.has_value()) return std::nullopt;
  std::vector<Move>& known = candidates_[{array.node(), how.count}];
  for (const Move& move : std::views::reverse(known)) {  // what was computed again comes last
    const bool is_own = move.again == again_ || !is_again();
    if (!how.positions && is_own && is_at_hand(move) && move.type == *target) return Held{{move.made}, span, {}, {}};
  }
  const ElementType made = how.positions ? ElementType::i64 : own.element();
  Held some = compute(span, *own.with_element(made), how, {array.node()});
  if (carried != made) some = cast_to(some, carried);
  MaybeHeld moved = redistribute(some, *target, std::move(why));
  if (moved.has_value() && carried != made) return cast_to(*moved, made);
  if (moved.has_value() && !how.positions) known.push_back(move_to(moved->node()));
  return moved;
}

// What stands in front of each tile is received by its device.
MaybeHeld TypedOperations::running(Span span, const std::string& who, const Held& a, const synth::Scan& how,
                                   const ArrayType& result) {
  const std::int64_t bytes = bytes_of_carries(how, result);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  return compute(span, result, how, {a.node()}, bytes, who);
}

MaybeHeld TypedOperations::recurring(Span span, const std::string& who, std::vector<Held> operands,
                                     const synth::Recur& how, NodeLayouts layouts) {
  const auto values = brought(std::move(operands), std::move(layouts.uses), true);
  if (!values.has_value()) return std::nullopt;
  const ArrayType& result = layouts.types.at(0);
  const std::int64_t bytes = bytes_of_carries(how, result);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  return compute(span, result, how, {values->at(0).node(), values->at(1).node()}, bytes, who);
}

// What moves at most is known now. An array that was compared may have been transposed since.
MaybeHeld TypedOperations::sorted(Span span, const std::string& who, const Held& a, const synth::Sort& how,
                                  const ArrayType& result) {
  const std::int64_t bytes = bytes_of_cuts(how, type(a), result);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  const Held made = compute(span, result, how, {a.node()}, bytes, who);
  NodeId ready = a.node();
  const auto* const moved = std::get_if<Compute>(&typed_.nodes[ready].body);
  if (moved != nullptr && std::holds_alternative<synth::Transpose>(moved->operation)) ready = moved->operands[0];
  const auto compared = compared_.find(ready);
  if (compared != compared_.end()) std::get<Compute>(typed_.nodes[made.node()].body).compared = compared->second;
  return made;
}

// What devices fetch or deliver, at most, is known now.
MaybeHeld TypedOperations::by_rows(Span span, const std::string& who, const synth::Operation& how,
                                   std::vector<Held> operands, NodeLayouts layouts) {
  const bool takes = std::holds_alternative<synth::Take>(how);
  const auto values = brought(std::move(operands), std::move(layouts.uses), !takes);
  if (!values.has_value()) return std::nullopt;
  const ArrayType& result = layouts.types.at(0);
  const ArrayType& rows = type(values->at(0));
  const ArrayType& ids = type(values->at(1));
  const std::int64_t bytes = takes ? bytes_of_requests(rows, ids, result) : bytes_of_deliveries(rows, ids, result);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  const Held made = compute(span, result, how, {values->at(0).node(), values->at(1).node()}, bytes, who);
  std::get<Compute>(typed_.nodes[made.node()].body).compared = std::move(layouts.compared);
  return made;
}

MaybeHeld TypedOperations::broadcast(Span span, const std::string& who, const Held& a, const Shape& shape,
                                     const Want& want) {
  const synth::Map copy{synth::MapOp::copy};
  return compute_solved(signature(span, who, copy, {a}, type(a).element(), shape), copy, {a}, want);
}

}  // namespace tessera::typeck
