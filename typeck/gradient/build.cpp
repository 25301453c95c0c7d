#include "typeck/gradient/build.hpp"

#include <algorithm>

#include "typeck/operations/table.hpp"

namespace tessera::typeck::gradient {

Want want_splits(const ArrayType& type) {
  auto layout = Layout::make(type.mesh(), type.layout().splits());
  TESSERA_CHECK(layout.ok(), "the splits of a type are no layout");
  return Want{{}, std::move(layout).value(), type.mesh_ref(), {}, {}};
}

Maybe Build::map(synth::MapOp op, std::initializer_list<Maybe> operands, const Want& want) const {
  std::vector<Checked> values;
  for (const Maybe& operand : operands) {
    if (!operand.has_value()) return std::nullopt;
    values.push_back(*operand);
  }
  const ElementType element = checker_.type(values.back()).element();
  return checker_.map(span_, op, std::move(values), element, who_, want);
}

Maybe Build::compare(synth::MapOp op, const Maybe& a, const Maybe& b) const {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return checker_.flat(checker_.map(span_, op, {*a, *b}, ElementType::boolean, who_, {}));
}

Maybe Build::cast(const Maybe& a, ElementType element) const {
  if (!a.has_value() || checker_.type(*a).element() == element) return a;
  return checker_.map(span_, synth::MapOp::cast, {*a}, element, who_, {});
}

Maybe Build::number(double value, const Maybe& a) const {
  if (!a.has_value()) return std::nullopt;
  const ArrayType like = checker_.type(*a);
  return checker_.scalar(span_, value, like.element(), like.mesh_ref());
}

Maybe Build::reduce(synth::ReduceKind kind, const Maybe& a, const std::vector<std::size_t>& dimensions) const {
  if (!a.has_value()) return std::nullopt;
  return typeck::reduce(checker_, span_, who_, *a, kind, dimensions, {});
}

Maybe Build::repeated(const Maybe& a, const ArrayType& like) const {
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

Maybe Build::summed_to(const Maybe& a, const Shape& shape) const {
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

Maybe Build::with_unit_dimensions(const Maybe& a, const std::vector<std::size_t>& positions) const {
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

Maybe Build::finished(const Maybe& a) const {
  if (!a.has_value()) return std::nullopt;
  return checker_.resolve_pending(*a, who_, span_);
}

Maybe Build::zeros(const ArrayType& type) const {
  const Checked zero = synth::is_float(type.element())
                           ? checker_.scalar(span_, 0.0, type.element(), type.mesh_ref())
                           : checker_.scalar(span_, std::int64_t{0}, type.element(), type.mesh_ref());
  return checker_.compute(span_, type, synth::Fill{}, {zero.node()});
}

}  // namespace tessera::typeck::gradient
