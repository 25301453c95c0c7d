#include "typeck/gradient/build.hpp"

#include <algorithm>

namespace tessera::typeck::gradient {

Want want_splits(const ArrayType& type) {
  auto layout = Layout::make(type.mesh(), type.layout().splits());
  TESSERA_CHECK(layout.ok(), "the splits of a type are no layout");
  return Want{std::move(layout).value(), type.mesh_ref(), {}, {}};
}

MaybeHeld Build::map(synth::MapOp op, std::initializer_list<MaybeHeld> operands, const Want& want) const {
  std::vector<Held> values;
  for (const MaybeHeld& operand : operands) {
    if (!operand.has_value()) return std::nullopt;
    values.push_back(*operand);
  }
  const ElementType element = inserter_.element(values.back());
  return inserter_.map(span_, op, std::move(values), element, who_, want);
}

MaybeHeld Build::compare(synth::MapOp op, const MaybeHeld& a, const MaybeHeld& b) const {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return inserter_.flat(inserter_.map(span_, op, {*a, *b}, ElementType::boolean, who_, {}));
}

MaybeHeld Build::cast(const MaybeHeld& a, ElementType element) const {
  if (!a.has_value() || inserter_.type(*a).element() == element) return a;
  return inserter_.map(span_, synth::MapOp::cast, {*a}, element, who_, {});
}

MaybeHeld Build::number(double value, const MaybeHeld& a) const {
  if (!a.has_value()) return std::nullopt;
  return inserter_.scalar(span_, value, inserter_.element(*a), inserter_.type(*a).mesh_ref());
}

MaybeHeld Build::reduce(synth::ReduceKind kind, const MaybeHeld& a, const std::vector<std::size_t>& dimensions) const {
  if (!a.has_value()) return std::nullopt;
  return inserter_.reduce(span_, who_, *a, kind, dimensions, {});
}

MaybeHeld Build::repeated(const MaybeHeld& a, const ArrayType& like) const {
  if (!a.has_value() || inserter_.type(*a).shape() == like.shape()) return a;
  return inserter_.broadcast(span_, who_, *a, like.shape(), want_splits(like));
}

MaybeHeld Build::summed_to(const MaybeHeld& a, const Shape& shape) const {
  if (!a.has_value()) return std::nullopt;
  const Shape own = inserter_.type(*a).shape();
  const std::size_t added = own.size() - shape.size();
  std::vector<std::size_t> dimensions;
  std::vector<std::size_t> kept;
  for (std::size_t d = 0; d < own.size(); ++d) {
    const bool repeated = d < added || (shape[d - added] == 1 && own[d] != 1);
    if (repeated) dimensions.push_back(d);
    if (repeated && d >= added) kept.push_back(d - added);
  }
  return with_unit_dimensions(reduce(synth::ReduceKind::sum, a, dimensions), kept);
}

MaybeHeld Build::with_unit_dimensions(const MaybeHeld& a, const std::vector<std::size_t>& positions) const {
  if (!a.has_value() || positions.empty()) return a;
  const ArrayType own = inserter_.type(*a);
  Shape shape = own.shape();
  std::vector<AxisList> splits = own.layout().splits();
  for (const std::size_t d : positions) {
    shape.insert(d, 1);
    splits.insert(splits.begin() + static_cast<std::ptrdiff_t>(d), AxisList{});
  }
  const auto result = inserter_.make_type(span_, own.element(), shape, own.mesh_ref(), std::move(splits),
                                          own.layout().pending(), own.layout().reduce());
  if (!result.has_value()) return std::nullopt;
  return inserter_.compute(span_, *result, synth::Reshape{}, {a->node()});
}

MaybeHeld Build::finished(const MaybeHeld& a) const {
  if (!a.has_value()) return std::nullopt;
  return inserter_.resolve_pending(*a, who_, span_);
}

MaybeHeld Build::zeros(const ArrayType& type) const {
  const Held zero = synth::is_float(type.element())
                        ? inserter_.scalar(span_, 0.0, type.element(), type.mesh_ref())
                        : inserter_.scalar(span_, std::int64_t{0}, type.element(), type.mesh_ref());
  return inserter_.compute(span_, type, synth::Fill{}, {zero.node()});
}

}  // namespace tessera::typeck::gradient
