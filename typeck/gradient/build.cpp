#include "typeck/gradient/build.hpp"

#include <algorithm>

namespace tessera::typeck::gradient {

Use Build::elementwise(synth::MapOp op, const std::vector<Use>& operands, synth::ElementType element) const {
  synth::Shape shape;
  for (const Use& operand : operands) {
    const synth::Shape own = graph_.type(operand).shape();
    while (shape.size() < own.size()) shape.insert(0, 1);
    for (std::size_t d = 0; d < own.size(); ++d) {
      std::int64_t& extent = shape[shape.size() - own.size() + d];
      if (extent == 1) extent = own[d];
    }
  }
  return compute({element, shape, graph_.type(operands.front()).mesh_ref()}, synth::Operation(synth::Map{op}),
                 operands);
}

Use Build::map(synth::MapOp op, const std::vector<Use>& operands) const {
  return elementwise(op, operands, synth::computed_as(graph_.type(operands.back()).element()));
}

Use Build::compare(synth::MapOp op, const Use& a, const Use& b) const {
  return graph_.flat(elementwise(op, {a, b}, synth::ElementType::boolean));
}

Use Build::cast(const Use& a, synth::ElementType element) const {
  if (graph_.type(a).element() == element) return a;
  return elementwise(synth::MapOp::cast, {a}, element);
}

Use Build::cast_back(const Use& a, synth::ElementType element) const {
  const bool loses_part = synth::is_complex(graph_.type(a).element()) && !synth::is_complex(element);
  return cast(loses_part ? real(a) : a, element);
}

Use Build::complex(const Use& re, const Use& im) const {
  return elementwise(synth::MapOp::complex, {re, im}, synth::complex_of(graph_.type(re).element()));
}
Use Build::real(const Use& a) const {
  return elementwise(synth::MapOp::real, {a}, synth::part_of(graph_.type(a).element()));
}
Use Build::imaginary(const Use& a) const {
  return elementwise(synth::MapOp::imaginary, {a}, synth::part_of(graph_.type(a).element()));
}

Use Build::number(double value, const Use& a) const {
  const open::Type own = graph_.type(a);
  return graph_.number(span_, value, synth::computed_as(own.element()), own.mesh_ref());
}

Use Build::reduce(synth::ReduceKind kind, const Use& a, const std::vector<std::size_t>& dimensions) const {
  const open::Type own = graph_.type(a);
  synth::Shape shape;
  for (std::size_t d = 0; d < own.rank(); ++d) {
    if (std::ranges::find(dimensions, d) == dimensions.end()) shape.push_back(own.shape()[d]);
  }
  if (dimensions.empty()) return a;
  return compute({synth::computed_as(own.element()), shape, own.mesh_ref()},
                 synth::Operation(synth::Reduce{kind, {dimensions.begin(), dimensions.end()}}), {a});
}

Use Build::repeated(const Use& a, const Use& like) const {
  const open::Type own = graph_.type(a);
  const synth::Shape shape = graph_.type(like).shape();
  if (own.shape() == shape) return a;
  const Use made = compute({own.element(), shape, own.mesh_ref()}, open::Broadcast{}, {a});
  graph_.wish(made, like.value);
  return made;
}

Use Build::summed_to(const Use& a, const synth::Shape& shape) const {
  const synth::Shape own = graph_.type(a).shape();
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

Use Build::with_unit_dimensions(const Use& a, const std::vector<std::size_t>& positions) const {
  if (positions.empty()) return a;
  const open::Type own = graph_.type(a);
  synth::Shape shape = own.shape();
  for (const std::size_t d : positions) shape.insert(d, 1);
  return compute({own.element(), shape, own.mesh_ref()}, open::Unsqueeze{positions}, {a});
}

Use Build::finished(const Use& a) const { return compute(graph_.type(a), open::Finish{}, {a}); }

namespace {

open::Type cotangent_type(const open::Type& type) {
  return {synth::computed_as(type.element()), type.shape(), type.mesh_ref()};
}

}  // namespace

Use Build::zeros_as(const Use& like) const {
  return compute(cotangent_type(graph_.type(like)), open::ZerosAs{}, {like});
}

Use Build::finished_as(const Use& a, const Use& like) const {
  return compute(cotangent_type(graph_.type(like)), open::FinishAs{}, {a, like});
}

}  // namespace tessera::typeck::gradient
