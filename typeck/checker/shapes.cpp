// The same elements in another shape, and more elements around them.
#include "typeck/checker/checker.hpp"
#include "typeck/layouts/reshape_groups.hpp"

namespace tessera::typeck {

MaybeValue Checker::reshaped(Span span, const std::string& who, const Checked& a, const Shape& shape) {
  const ArrayType from = type(a);
  const ReshapeLayouts layouts = reshape_layouts(from, shape);
  auto before = Layout::make(from.mesh(), layouts.before, from.layout().pending(), from.layout().reduce());
  TESSERA_CHECK(before.ok(), "a reshape's layout is not valid");
  const auto wanted = with_layout(span, from, std::move(before).value());
  if (!wanted.has_value()) return std::nullopt;
  const MaybeValue ready = redistribute(a, *wanted, Reason{Reason::Asker::operation, who, span, {}, {}});
  const auto result = make_type(span, from.element(), shape, from.mesh_ref(), layouts.after, from.layout().pending(),
                                from.layout().reduce());
  if (!ready.has_value() || !result.has_value()) return std::nullopt;
  return compute(span, *result, synth::Reshape{}, {ready->node()});
}

// A padded dimension keeps the axes on the longer extent, so its boxes may move between devices.
MaybeValue Checker::padded(Span span, const std::string& who, const Checked& a, const Widths& widths,
                           const Checked& value) {
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
  const Checked filled = compute(span, *result, synth::Fill{}, {value.node()});
  return compute(span, *result, synth::Assemble{true, {std::move(part)}}, {filled.node(), a.node()}, bytes, who);
}

}  // namespace tessera::typeck
