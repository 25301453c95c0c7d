// Arrays that are made of parts: their elements go straight from the tiles where they lie to those of the result.
#include "typeck/layouts/parts.hpp"

#include <algorithm>

#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

MaybeHeld TypedOperations::concat(Span span, const std::string& who, std::vector<Held> all, const open::Concat& concat,
                                  NodeLayouts layouts) {
  const auto values = brought(std::move(all), std::move(layouts.uses), false);
  if (!values.has_value()) return std::nullopt;
  std::vector<ArrayType> operands;
  std::vector<NodeId> nodes;
  for (const Held& value : *values) {
    operands.push_back(type(value));
    nodes.push_back(value.node());
  }
  const ArrayType& result = layouts.types.at(0);
  synth::Assemble assemble = joined_along(concat.dimension, operands);
  const std::int64_t bytes = bytes_of_parts(assemble, operands, result);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  const Held made_value = compute(span, result, std::move(assemble), std::move(nodes), bytes, who);
  std::get<Compute>(typed_.nodes[made_value.node()].body).compared = std::move(layouts.compared);
  return made_value;
}

namespace {

// The box' place in each dimension; a scalar of the update is the operand of that number.
std::vector<synth::Placement> placements_of(const open::Update& update, const Shape& shape) {
  std::vector<synth::Placement> all;
  std::int32_t scalar = 2;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const open::Laid& laid = update.dimensions[d];
    if (laid.start.has_value())
      all.push_back(synth::Placement{*laid.start});
    else
      all.push_back(synth::Placement{0, scalar++, false, laid.wraps, laid.wraps ? shape[d] : 0});
  }
  return all;
}

// Does every element of the box get one of its own?
bool is_dense(const open::Update& update, const Shape& part) {
  for (std::size_t d = 0; d < part.size(); ++d) {
    if (part[d] != update.dimensions[d].length || update.dimensions[d].step != 1) return false;
  }
  return true;
}

// The type in which a part is laid where the array lies: repeated dimensions are whole, others as the array has them.
std::optional<ArrayType> aligned_type(TypedGraph& graph, Span span, const ArrayType& own, const ArrayType& part) {
  Shape shape;
  std::vector<AxisList> splits;
  for (std::size_t d = 0; d < own.rank(); ++d) {
    const bool repeats = part.shape()[d] == 1 && own.shape()[d] != 1;
    shape.push_back(repeats ? 1 : own.shape()[d]);
    splits.push_back(repeats ? AxisList{} : own.layout().split(d));
  }
  return graph.make_type(span, own.element(), shape, own.mesh_ref(), std::move(splits));
}

}  // namespace

// The part is brought to where its elements are laid, then laid over the array, repeated or in steps.
MaybeHeld TypedOperations::laid(Span span, const std::string& who, const std::vector<Held>& operands,
                                const open::Update& update) {
  const ArrayType own = type(operands[0]);
  const auto aligned = aligned_type(*this, span, own, type(operands[1]));
  if (!aligned.has_value()) return std::nullopt;
  std::vector<synth::Placement> placements = placements_of(update, own.shape());
  for (std::size_t d = 0; d < own.rank(); ++d) {
    if (aligned->shape()[d] == 1) placements[d] = {};
  }
  const MaybeHeld part = placed(span, who, operands, *aligned, std::move(placements));
  if (!part.has_value()) return std::nullopt;
  synth::Lay lay;
  std::vector<NodeId> nodes = {operands[0].node(), part->node()};
  for (const open::Laid& one : update.dimensions) {
    lay.ranges.push_back({one.start.value_or(0), one.length, one.step, -1, one.wraps});
    if (one.start.has_value()) continue;
    nodes.push_back(operands[nodes.size()].node());
    lay.ranges.back().scalar = static_cast<std::int32_t>(nodes.size()) - 1;
  }
  return compute(span, own, std::move(lay), std::move(nodes));
}

// The part as an array of another type, in which it is placed; what is not covered is zero.
MaybeHeld TypedOperations::placed(Span span, const std::string& who, const std::vector<Held>& operands,
                                  const ArrayType& result, std::vector<synth::Placement> placements) {
  const ArrayType part_type = type(operands[1]);
  if (part_type == result) return operands[1];
  const bool covers = part_type.shape() == result.shape();
  if (covers) placements.assign(result.rank(), {});
  synth::Assemble assemble{!covers, {synth::Part{1, std::move(placements)}}};
  const std::int64_t bytes = bytes_of_parts(assemble, {result, part_type}, result);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, operands[1].span, {}}, span))
    return std::nullopt;
  if (covers) {
    assemble.parts[0].operand = 0;
    return compute(span, result, std::move(assemble), {operands[1].node()}, bytes, who);
  }
  std::vector<NodeId> nodes;
  for (const Held& operand : operands) nodes.push_back(operand.node());
  const Held zero = scalar(span, std::int64_t{0}, result.element(), result.mesh_ref());
  nodes[0] = compute(span, result, synth::Fill{}, {zero.node()}).node();
  return compute(span, result, std::move(assemble), std::move(nodes), bytes, who);
}

// The operands are the array, the new elements, and the positions that are known only at run time.
MaybeHeld TypedOperations::update(Span span, const std::string& who, const std::vector<Held>& operands,
                                  const open::Update& update) {
  const ArrayType own = type(operands[0]);
  const ArrayType part_type = type(operands[1]);
  if (!is_dense(update, part_type.shape())) return laid(span, who, operands, update);
  synth::Assemble assemble{true, {synth::Part{1, placements_of(update, own.shape())}}};
  const std::int64_t bytes = bytes_of_parts(assemble, {own, part_type}, own);
  const Reason why{Reason::Asker::operation, who, span, operands[1].span, {}};
  if (!allow_received(bytes, why, span)) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Held& operand : operands) nodes.push_back(operand.node());
  return compute(span, own, std::move(assemble), std::move(nodes), bytes, who);
}

}  // namespace tessera::typeck
