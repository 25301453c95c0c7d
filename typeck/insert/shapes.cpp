// The same elements in another shape; parts of arrays, and arrays made of parts.
#include <utility>

#include "typeck/insert/inserter.hpp"
#include "typeck/layouts/parts.hpp"
#include "typeck/layouts/shape_rules.hpp"

namespace tessera::typeck {

std::int64_t moved_bytes(const ArrayType& part, const ArrayType& result, const synth::Offset& offset) {
  std::int64_t bytes = 0;
  for (const synth::BoxCopy& copy : synth::copies(part, result, &offset)) {
    if (copy.source != copy.target) bytes += synth::elements(copy.box) * synth::bytes_of(part.element());
  }
  return bytes;
}

Held Redistributions::reshaped(const Held& value, const ArrayType& result, Span span) {
  return compute(span, result, synth::Reshape{}, {value.node()});
}

// The array is laid into zeros that are longer, and what was added is cut off again. Both move what lies beside the
// ends of tiles.
MaybeHeld TypedOperations::shifted(Span span, const std::string& who, const Held& value, const ShiftedReshape& reshape,
                                   const ArrayType& result, std::vector<Alternative> compared) {
  const std::int64_t first = bytes_of_parts(reshape.lengthen, {reshape.longer, type(value)}, reshape.longer);
  const std::int64_t second = bytes_of_parts(reshape.cut, {reshape.reshaped}, result);
  if (!allow_received(first + second, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  NodeId made = value.node();
  if (!reshape.lengthen.parts.empty()) {
    const Held zero = scalar(span, std::int64_t{0}, result.element(), result.mesh_ref());
    const NodeId zeros = compute(span, reshape.longer, synth::Fill{}, {zero.node()}).node();
    made = compute(span, reshape.longer, reshape.lengthen, {zeros, made}, first, who).node();
    if (first > 0) std::get<Compute>(typed_.nodes[made].body).compared = std::exchange(compared, {});
  }
  made = compute(span, reshape.reshaped, synth::Reshape{}, {made}).node();
  if (reshape.cut.parts.empty()) return Held{{made}, span, {}, {}};
  const Held cut = compute(span, result, reshape.cut, {made}, second, who);
  std::get<Compute>(typed_.nodes[cut.node()].body).compared = std::move(compared);
  return cut;
}

// Boxes of a padded dimension that is split may move between devices.
MaybeHeld TypedOperations::padded(Span span, const std::string& who, const Held& a,
                                  const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const Held& value,
                                  const ArrayType& result) {
  synth::Part part{1, {}};
  synth::Offset offset;
  for (const auto& [before, after] : widths) {
    part.placements.push_back(synth::Placement{before, -1, false, false, 0});
    offset.push_back(-before);
  }
  const std::int64_t bytes = moved_bytes(type(a), result, offset);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  const Held filled = compute(span, result, synth::Fill{}, {value.node()});
  return compute(span, result, synth::Assemble{true, {std::move(part)}}, {filled.node(), a.node()}, bytes, who);
}

namespace {

// Counts the bytes that a slice of known starts moves between devices; for run-time starts, the most that it could.
std::int64_t received_bytes(const ArrayType& from, const ArrayType& to, const std::vector<open::Selected>& taken) {
  bool moves = false;
  bool dynamic = false;
  synth::Offset offset;
  for (std::size_t d = 0; d < taken.size(); ++d) {
    const bool proper = taken[d].scalar >= 0 || taken[d].length != from.shape()[d] || taken[d].step != 1;
    moves = moves || (proper && !from.layout().split(d).empty());
    dynamic = dynamic || taken[d].scalar >= 0;
    offset.push_back({taken[d].start, taken[d].step});
  }
  if (!moves) return 0;
  if (dynamic) {
    std::int64_t bytes = 0;
    for (std::int64_t device = 0; device < to.devices(); ++device) bytes += synth::tile_bytes(to, device);
    return bytes;
  }
  return moved_bytes(from, to, offset);
}

}  // namespace

MaybeHeld TypedOperations::unsqueezed(Span span, const Held& a, const std::vector<std::size_t>& dimensions) {
  const auto result = ShapeRules(plans_, reports_, "", span).unsqueezed(type(a), dimensions);
  return result.has_value() ? MaybeHeld(reshaped(a, *result, span)) : std::nullopt;
}

// Boxes of a proper sub-range of a split dimension move between devices.
MaybeHeld TypedOperations::slice(Span span, const std::string& who, const std::vector<Held>& operands,
                                 const std::vector<open::Selected>& taken, const ArrayType& result) {
  const ArrayType from = type(operands[0]);
  synth::Part part{0, {}};
  for (std::size_t d = 0; d < taken.size(); ++d) {
    synth::Placement placement{-taken[d].start, -1, false, false, 0};
    if (taken[d].step != 1) placement = {0, -1, false, false, 0, false, taken[d].start, taken[d].step};
    if (taken[d].scalar >= 0) placement = {0, taken[d].scalar, true, taken[d].single, from.shape()[d]};
    part.placements.push_back(placement);
  }
  const std::int64_t bytes = received_bytes(from, result, taken);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Held& operand : operands) nodes.push_back(operand.node());
  return compute(span, result, synth::Assemble{false, {std::move(part)}}, std::move(nodes), bytes, who);
}

// Elements that leave the dimension at its end come in at its beginning: two parts, each clipped. Placed at run time
// they lie over zeros.
MaybeHeld TypedOperations::rolled(Span span, const std::string& who, const std::vector<Held>& operands,
                                  const open::Roll& roll) {
  const ArrayType own = type(operands[0]);
  const std::int64_t extent = own.shape()[roll.dimension];
  synth::Assemble assemble{!roll.by.has_value(), {}};
  std::vector<NodeId> nodes = {operands[0].node()};
  std::int64_t bytes = 0;
  for (const std::int64_t back : {std::int64_t{0}, extent}) {
    synth::Part part{assemble.has_base ? 1U : 0U, std::vector<synth::Placement>(own.rank())};
    synth::Placement& placement = part.placements[roll.dimension];
    placement.add = roll.by.value_or(0) - back;
    if (assemble.has_base) placement = {-back, 2, false, false, 0, true};
    synth::Offset offset(own.rank(), 0);
    offset[roll.dimension] = -placement.add;
    if (!assemble.has_base) bytes += moved_bytes(own, own, offset);
    assemble.parts.push_back(std::move(part));
  }
  if (assemble.has_base) {
    const Held zero = scalar(span, std::int64_t{0}, own.element(), own.mesh_ref());
    nodes = {compute(span, own, synth::Fill{}, {zero.node()}).node(), operands[0].node(), operands[1].node()};
    const bool moves = !own.layout().split(roll.dimension).empty();
    for (std::int64_t device = 0; moves && device < own.devices(); ++device) bytes += synth::tile_bytes(own, device);
  }
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  return compute(span, own, std::move(assemble), std::move(nodes), bytes, who);
}

}  // namespace tessera::typeck
