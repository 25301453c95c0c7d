// The same elements in another shape; parts of arrays, and arrays made of parts.
#include <algorithm>

#include "typeck/insert/inserter.hpp"
#include "typeck/layouts/reshape_groups.hpp"

namespace tessera::typeck {

MaybeHeld Inserter::reshaped(Span span, const std::string& who, const Held& a, const Shape& shape) {
  const ArrayType from = type(a);
  const ReshapeLayouts layouts = reshape_layouts(from, shape);
  auto before = Layout::make(from.mesh(), layouts.before, from.layout().pending(), from.layout().reduce());
  TESSERA_CHECK(before.ok(), "a reshape's layout is not valid");
  const auto wanted = with_layout(span, from, std::move(before).value());
  if (!wanted.has_value()) return std::nullopt;
  const MaybeHeld ready = redistribute(a, *wanted, Reason{Reason::Asker::operation, who, span, {}, {}});
  const auto result = make_type(span, from.element(), shape, from.mesh_ref(), layouts.after, from.layout().pending(),
                                from.layout().reduce());
  if (!ready.has_value() || !result.has_value()) return std::nullopt;
  return compute(span, *result, synth::Reshape{}, {ready->node()});
}

// A padded dimension keeps the axes on the longer extent, so its boxes may move between devices.
MaybeHeld Inserter::padded(Span span, const std::string& who, const Held& a,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const Held& value) {
  const ArrayType from = type(a);
  Shape shape;
  synth::Part part{1, {}};
  synth::Offset offset;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    std::int64_t extent = from.shape()[d];
    const auto [before, after] = widths[d];
    if (__builtin_add_overflow(extent, before + after, &extent)) extent = -1;
    shape.push_back(extent);
    part.placements.push_back(synth::Placement{before, -1, false, false, 0});
    offset.push_back(-before);
  }
  const auto result = make_type(span, from.element(), shape, from.mesh_ref(), from.layout().splits());
  if (!result.has_value()) return std::nullopt;
  const std::int64_t bytes = moved_bytes(from, *result, offset);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  const Held filled = compute(span, *result, synth::Fill{}, {value.node()});
  return compute(span, *result, synth::Assemble{true, {std::move(part)}}, {filled.node(), a.node()}, bytes, who);
}

// Removes dimensions of extent 1; the axes of split ones (they have empty tiles) are dealt first.
MaybeHeld Inserter::drop_dimensions(const Held& value, const std::vector<std::size_t>& dimensions,
                                    const std::string& who, Span span) {
  if (dimensions.empty()) return value;
  MaybeHeld whole = dealt(value, dimensions, who, span);
  if (!whole.has_value()) return std::nullopt;
  const ArrayType from = type(*whole);
  Shape shape;
  std::vector<AxisList> splits;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end()) continue;
    shape.push_back(from.shape()[d]);
    splits.push_back(from.layout().split(d));
  }
  const auto result = make_type(span, from.element(), shape, from.mesh_ref(), std::move(splits),
                                from.layout().pending(), from.layout().reduce());
  if (!result.has_value()) return std::nullopt;
  return compute(span, *result, synth::Reshape{}, {whole->node()});
}

// The same tiles under a type that is written differently (a split of extent 1 that cuts nothing away).
Held Inserter::retyped(const Held& value, const ArrayType& target) {
  Held result = value;
  result.nodes = compute(value.span, target, synth::Reshape{}, {value.node()}).nodes;
  return result;
}

namespace {

// How many steps begin within so many elements.
std::int64_t steps_begun(std::int64_t elements, std::int64_t step) { return elements / step + (elements % step != 0); }

// Counts the bytes that a slice of known starts moves between devices; for run-time starts, the most that it could.
std::int64_t received_bytes(const ArrayType& from, const ArrayType& to, const std::vector<open::Selected>& taken) {
  bool moves = false;
  bool dynamic = false;
  synth::Offset offset;
  for (std::size_t d = 0; d < taken.size(); ++d) {
    const bool proper = taken[d].scalar >= 0 || taken[d].length != from.shape()[d];
    moves = moves || (proper && !from.layout().split(d).empty());
    dynamic = dynamic || taken[d].scalar >= 0;
    offset.push_back(taken[d].start);
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

MaybeHeld Inserter::unsqueezed(Span span, const Held& a, std::size_t dimension) {
  const ArrayType own = type(a);
  Shape shape = own.shape();
  shape.insert(dimension, 1);
  std::vector<AxisList> splits = own.layout().splits();
  splits.insert(splits.begin() + static_cast<std::ptrdiff_t>(dimension), AxisList{});
  const auto result = make_type(span, own.element(), shape, own.mesh_ref(), std::move(splits), own.layout().pending(),
                                own.layout().reduce());
  if (!result.has_value()) return std::nullopt;
  return compute(span, *result, synth::Reshape{}, {a.node()});
}

// A `:` keeps the split; a proper sub-range keeps the axes on the shorter dimension, so its boxes move between devices;
// what an integer selects is whole.
MaybeHeld Inserter::slice(Span span, const std::string& who, const std::vector<Held>& operands,
                          const std::vector<open::Selected>& taken) {
  const ArrayType from = type(operands[0]);
  Shape shape;
  std::vector<AxisList> splits;
  synth::Part part{0, {}};
  for (std::size_t d = 0; d < taken.size(); ++d) {
    shape.push_back(taken[d].length);
    splits.push_back(taken[d].single ? AxisList{} : from.layout().split(d));
    synth::Placement placement{-taken[d].start, -1, false, false, 0};
    if (taken[d].scalar >= 0) placement = {0, taken[d].scalar, true, taken[d].single, from.shape()[d]};
    part.placements.push_back(placement);
  }
  const auto result = make_type(span, from.element(), shape, from.mesh_ref(), std::move(splits),
                                from.layout().pending(), from.layout().reduce());
  if (!result.has_value()) return std::nullopt;
  const std::int64_t bytes = received_bytes(from, *result, taken);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Held& operand : operands) nodes.push_back(operand.node());
  return compute(span, *result, synth::Assemble{false, {std::move(part)}}, std::move(nodes), bytes, who);
}

// Rows of one step each are made of the dimension, of which one column is taken. It is made longer where only so its
// tiles are of whole steps.
MaybeHeld Inserter::every(Span span, const std::string& who, const Held& value, const open::Every& every) {
  const auto [dimension, step, first] = every;
  const ArrayType from = type(value);
  const std::int64_t extent = from.shape()[dimension];
  const std::int64_t wanted = steps_begun(extent - first, step);
  const std::int64_t parts = synth::shard_count(from.layout().split(dimension));
  const std::int64_t rows = wanted == 0 ? 0 : steps_begun(wanted, parts) * parts;
  MaybeHeld ready = value;
  if (rows * step != extent) {
    ready = resolve_pending(value, who, span);
    const Held zero = scalar(span, std::int64_t{0}, from.element(), from.mesh_ref());
    if (!ready.has_value()) return std::nullopt;
    std::vector<std::pair<std::int64_t, std::int64_t>> widths(from.rank());
    widths[dimension].second = rows * step - extent;
    ready = padded(span, who, *ready, widths, zero);
  }
  Shape shape;
  std::vector<open::Selected> column;
  std::vector<std::size_t> singles;
  bool all_whole = true;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    shape.push_back(d == dimension ? rows : from.shape()[d]);
    column.push_back({0, d == dimension ? wanted : from.shape()[d], -1, false});
    all_whole = all_whole && column.back().length == shape.back();
    if (d != dimension) continue;
    shape.push_back(step);
    singles.push_back(d + 1);
    column.push_back({first, 1, -1, true});
    all_whole = all_whole && step == 1;
  }
  if (ready.has_value()) ready = reshaped(span, who, *ready, shape);
  if (ready.has_value() && !all_whole) ready = slice(span, who, {*ready}, column);
  return ready.has_value() ? drop_dimensions(*ready, singles, "an index", span) : std::nullopt;
}

}  // namespace tessera::typeck
