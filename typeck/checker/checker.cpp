// The checker's infrastructure: reports, nodes, constants.
#include "typeck/checker/checker.hpp"

#include <fmt/format.h>

#include "typeck/checker/fold.hpp"

namespace tessera::typeck {

std::string print_shape(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", ")); }

std::int64_t moved_bytes(const ArrayType& part, const ArrayType& result, const synth::Offset& offset) {
  std::int64_t bytes = 0;
  for (const synth::BoxCopy& copy : synth::copies(part, result, &offset)) {
    if (copy.source != copy.target) bytes += synth::elements(copy.box) * synth::bytes_of(part.element());
  }
  return bytes;
}

Checker::Checker(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
                 synth::PlanCache& plans, const CheckOptions& options, const Placements& placements)
    : sources_(sources), environment_(environment), plans_(plans), options_(options), placements_(placements) {
  typed_.ast = std::move(ast);
}

// One mistake is reported once, however often its place is checked (a function's instances, say).
void Checker::report(Diagnostic diagnostic) {
  if (!diagnostic.labels.empty()) {
    const bool first_time = reported_.emplace(diagnostic.labels.front().span, diagnostic.kind.slug).second;
    if (!first_time) return;
  }
  diagnostics_.push_back(std::move(diagnostic));
}

std::string Checker::text(const ArrayType& array) const {
  return describe_type(array, environment_, environment_.now());
}

std::string Checker::text(Span span) const { return span.known() ? std::string(sources_.text(span)) : std::string(); }

// Types mean the meshes of this moment: in a function that of its definition, if a mesh was declared by then.
Moment Checker::mesh_moment() const {
  const bool in_function = frame_ != nullptr && frame_->function != nullptr;
  const bool defined_on_mesh = in_function && environment_.has_mesh(frame_->function->moment);
  return defined_on_mesh ? frame_->function->moment : environment_.now();
}

// The mesh of a type that names none.
MeshRef Checker::default_mesh() const { return environment_.default_mesh(mesh_moment()); }

NodeId Checker::emit(Span span, std::vector<ArrayType> types, decltype(Node::body) body) {
  TESSERA_CHECK(region_ != nullptr, "a node is made outside every region");
  spend();
  const NodeId id = typed_.nodes.add(Node{span, std::move(types), std::move(body), pass_});
  region_->order.push_back(id);
  return id;
}

Checked Checker::compute(Span span, const ArrayType& result, synth::Operation operation, std::vector<NodeId> operands,
                         std::int64_t received_bytes, std::string who) {
  const NodeId id =
      emit(span, {result}, Compute{std::move(operation), std::move(operands), received_bytes, std::move(who), false});
  return Checked{{id}, span, {}, {}, {}};
}

MaybeValue Checker::flat(const MaybeValue& value) {
  if (!value.has_value()) return std::nullopt;
  if (auto* made = std::get_if<Compute>(&typed_.nodes[value->node()].body)) made->is_flat = true;
  return value;
}

Checked Checker::scalar(Span span, const KnownScalar& value, ElementType element, const MeshRef& mesh) {
  synth::Literal literal{element, {}, {}};
  append_bytes(literal.bytes, value, element);
  Checked made = constant(span, std::move(literal), mesh);
  made.known = as_held(value, element);
  if (element == ElementType::i64 && std::holds_alternative<std::int64_t>(value)) {
    made.affine = Affine{{}, std::get<std::int64_t>(value)};
  }
  return made;
}

Checked Checker::constant(Span span, synth::Literal literal, const MeshRef& mesh) {
  auto result = ArrayType::replicated(literal.element, literal.shape, mesh);
  TESSERA_CHECK(result.ok(), "a literal's type is not valid");
  const synth::LiteralId id = typed_.literals.add(std::move(literal));
  return compute(span, *result, synth::Constant{id}, {});
}

std::optional<ArrayType> Checker::made(base::Result<ArrayType> result, Span span) {
  if (result.ok()) return std::move(result).value();
  for (Diagnostic& diagnostic : std::move(result).errors()) report(std::move(diagnostic).at(span));
  return std::nullopt;
}

std::optional<ArrayType> Checker::make_type(Span span, ElementType element, const Shape& shape, const MeshRef& mesh,
                                            std::vector<AxisList> splits, AxisList pending, synth::ReduceOp reduce) {
  auto layout = Layout::make(*mesh, std::move(splits), std::move(pending), reduce);
  if (!layout.ok()) {
    for (Diagnostic& diagnostic : std::move(layout).errors()) report(std::move(diagnostic).at(span));
    return std::nullopt;
  }
  return made(ArrayType::make(element, shape, mesh, std::move(layout).value()), span);
}

std::optional<ArrayType> Checker::with_layout(Span span, const ArrayType& array, Layout layout) {
  return made(array.with_layout(std::move(layout)), span);
}

std::optional<std::int64_t> Checker::known_integer(const Checked& value) const {
  if (!value.known.has_value() || !std::holds_alternative<std::int64_t>(*value.known)) return std::nullopt;
  return std::get<std::int64_t>(*value.known);
}

}  // namespace tessera::typeck
