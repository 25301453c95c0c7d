#include "typeck/gradient/build.hpp"

#include <algorithm>

#include "typeck/operations/table.hpp"

namespace tessera::typeck::gradient {

Preference want_splits(const ArrayType& type) {
  auto layout = Layout::make(type.mesh(), type.layout().splits());
  TESSERA_CHECK(layout.ok(), "the splits of a type are no layout");
  return Preference{{}, std::move(layout).value(), type.mesh_ref(), {}, {}};
}

MaybeValue Build::map(synth::MapOp op, std::initializer_list<MaybeValue> operands, const Preference& want) const {
  std::vector<Checked> values;
  for (const MaybeValue& operand : operands) {
    if (!operand.has_value()) return std::nullopt;
    values.push_back(*operand);
  }
  const ElementType element = checker_.element(values.back());
  return checker_.map(span_, op, std::move(values), element, who_, want);
}

MaybeValue Build::compare(synth::MapOp op, const MaybeValue& a, const MaybeValue& b) const {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return checker_.flat(checker_.map(span_, op, {*a, *b}, ElementType::boolean, who_, {}));
}

MaybeValue Build::cast(const MaybeValue& a, ElementType element) const {
  if (!a.has_value() || checker_.type(*a).element() == element) return a;
  return checker_.map(span_, synth::MapOp::cast, {*a}, element, who_, {});
}

MaybeValue Build::number(double value, const MaybeValue& a) const {
  if (!a.has_value()) return std::nullopt;
  return checker_.scalar(span_, value, checker_.element(*a), checker_.type(*a).mesh_ref());
}

MaybeValue Build::reduce(synth::ReduceKind kind, const MaybeValue& a,
                         const std::vector<std::size_t>& dimensions) const {
  if (!a.has_value()) return std::nullopt;
  return typeck::reduce(checker_, span_, who_, *a, kind, dimensions, {});
}

MaybeValue Build::repeated(const MaybeValue& a, const ArrayType& like) const {
  if (!a.has_value() || checker_.type(*a).shape() == like.shape()) return a;
  const ArrayType own = checker_.type(*a);
  Signature signature;
  signature.who = who_;
  signature.span = span_;
  signature.element = own.element();
  signature.shape = like.shape();
  signature.index_wise = true;
  const std::size_t added = like.rank() - own.rank();
  std::vector<int> indices;
  for (std::size_t d = 0; d < like.rank(); ++d) signature.result.push_back(static_cast<int>(d));
  for (std::size_t d = 0; d < own.rank(); ++d)
    indices.push_back(own.shape()[d] == like.shape()[added + d] ? static_cast<int>(added + d) : kWhole);
  signature.operands = {std::move(indices)};
  auto solved = checker_.solve(signature, {*a}, want_splits(like));
  if (!solved.has_value()) return std::nullopt;
  return checker_.compute(span_, solved->result, synth::Map{synth::MapOp::copy}, {solved->operands[0].node()});
}

MaybeValue Build::summed_to(const MaybeValue& a, const Shape& shape) const {
  if (!a.has_value()) return std::nullopt;
  const Shape own = checker_.type(*a).shape();
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

MaybeValue Build::with_unit_dimensions(const MaybeValue& a, const std::vector<std::size_t>& positions) const {
  if (!a.has_value() || positions.empty()) return a;
  const ArrayType own = checker_.type(*a);
  Shape shape = own.shape();
  std::vector<AxisList> splits = own.layout().splits();
  for (const std::size_t d : positions) {
    shape.insert(d, 1);
    splits.insert(splits.begin() + static_cast<std::ptrdiff_t>(d), AxisList{});
  }
  const auto result = checker_.make_type(span_, own.element(), shape, own.mesh_ref(), std::move(splits),
                                         own.layout().pending(), own.layout().reduce());
  if (!result.has_value()) return std::nullopt;
  return checker_.compute(span_, *result, synth::Reshape{}, {a->node()});
}

MaybeValue Build::finished(const MaybeValue& a) const {
  if (!a.has_value()) return std::nullopt;
  return checker_.resolve_pending(*a, who_, span_);
}

MaybeValue Build::zeros(const ArrayType& type) const {
  const Checked zero = synth::is_float(type.element())
                           ? checker_.scalar(span_, 0.0, type.element(), type.mesh_ref())
                           : checker_.scalar(span_, std::int64_t{0}, type.element(), type.mesh_ref());
  return checker_.compute(span_, type, synth::Fill{}, {zero.node()});
}

}  // namespace tessera::typeck::gradient
