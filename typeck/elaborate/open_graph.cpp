#include "typeck/elaborate/open_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"
#include "typeck/elaborate/fold.hpp"

namespace tessera::typeck {

namespace {

// The expression whose operation gives the value of this one; nothing where it is a name, or is made of several.
std::optional<ExprId> root_of(const Ast& ast, ExprId id) {
  const auto& node = ast[id].node;
  if (const auto* block = std::get_if<frontend::BlockExpr>(&node)) return root_of(ast, ast[block->block].result);
  if (const auto* local = std::get_if<frontend::Local>(&node)) return root_of(ast, ast[local->block].result);
  const bool computes = std::holds_alternative<frontend::Unary>(node) ||
                        std::holds_alternative<frontend::Binary>(node) ||
                        std::holds_alternative<frontend::Call>(node) || std::holds_alternative<frontend::Cast>(node);
  return computes ? std::optional(id) : std::nullopt;
}

}  // namespace

std::string print_shape(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", ")); }

OpenGraph::OpenGraph(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
                     const synth::Machine& machine, const CheckOptions& options, Messages& messages)
    : sources_(sources), environment_(environment), machine_(machine), options_(options), messages_(messages) {
  program_.ast = std::move(ast);
}

std::string OpenGraph::text(Span span) const { return span.known() ? std::string(sources_.text(span)) : std::string(); }

std::string OpenGraph::text(const open::Type& type) const {
  return fmt::format("{}{}", synth::name(type.element()), type.shape().empty() ? "" : print_shape(type.shape()));
}

// Types mean the meshes of this moment: in a function that of its definition, if a mesh was declared by then.
Moment OpenGraph::mesh_moment() const {
  const bool in_function = frame_ != nullptr && frame_->function != nullptr;
  const bool defined_on_mesh = in_function && environment_.has_mesh(frame_->function->moment);
  return defined_on_mesh ? frame_->function->moment : environment_.now();
}

// The mesh of a type that names none.
MeshRef OpenGraph::default_mesh() const { return environment_.default_mesh(mesh_moment()); }

Limits OpenGraph::limits() const {
  return {options_.stop, options_.values_max, program_.statements.empty() ? Span{} : program_.statements.back().span};
}

ValueId OpenGraph::emit(Span span, std::vector<open::Type> types, decltype(open::Node::body) body) {
  TESSERA_CHECK(region_ != nullptr, "a node is made outside every region");
  options_.stop.look();
  if (program_.nodes.size() >= options_.values_max) throw TooManyValues{limits().statement};
  const ValueId id = program_.nodes.add(open::Node{span, std::move(types), std::move(body), local_depth_ > 0});
  region_->order.push_back(id);
  return id;
}

std::vector<open::Use> OpenGraph::uses(const std::vector<Checked>& values) {
  std::vector<open::Use> all;
  for (const Checked& value : values) all.push_back(use(value));
  return all;
}

Checked OpenGraph::compute(Span span, const open::Type& result, open::Operation operation,
                           const std::vector<Checked>& operands, std::string who) {
  const ValueId id = emit(span, {result}, open::Compute{std::move(operation), uses(operands), std::move(who)});
  return Checked{{id}, span, {}, {}, {}};
}

Checked OpenGraph::compute_as_wished(Span span, const open::Type& result, open::Operation operation,
                                     const std::vector<Checked>& operands, std::string who) {
  Checked value = compute(span, result, std::move(operation), operands, std::move(who));
  program_.nodes[value.node()].takes_wish = true;
  return value;
}

void OpenGraph::effect(Span span, synth::Operation operation, const std::vector<Checked>& operands) {
  emit(span, {}, open::Compute{std::move(operation), uses(operands), {}});
}

MaybeValue OpenGraph::flat(const MaybeValue& value) {
  if (!value.has_value()) return std::nullopt;
  if (auto* made = std::get_if<open::Compute>(&program_.nodes[value->node()].body)) made->is_flat = true;
  return value;
}

void OpenGraph::wish(const MaybeValue& value, ExprId expr, std::size_t begun, open::Wish wish) {
  if (!value.has_value() || value->nodes.size() != 1) return;
  const auto root = root_of(ast(), expr);
  open::Node& made = program_.nodes[value->node()];
  const bool is_of_expression = root.has_value() && value->node().value >= begun && made.span == ast()[*root].span;
  if (!is_of_expression) return;
  if (made.shares_wish.valid()) program_.nodes[made.shares_wish].wish = wish;
  if (made.takes_wish) made.wish = std::move(wish);
}

void OpenGraph::note_summed(const Checked& value, const std::vector<std::size_t>& dimensions) {
  const auto root = value.expr.valid() ? root_of(ast(), value.expr) : std::nullopt;
  open::Node& made = program_.nodes[value.node()];
  const auto* compute = std::get_if<open::Compute>(&made.body);
  const auto* own = compute == nullptr ? nullptr : std::get_if<synth::Operation>(&compute->operation);
  const bool is_take = own != nullptr && std::holds_alternative<synth::Take>(*own);
  if (!is_take || !root.has_value() || made.span != ast()[*root].span) return;
  const std::size_t ids_rank = program_.nodes[compute->operands.at(1).value].types.at(0).rank();
  if (std::ranges::none_of(dimensions, [&](std::size_t d) { return d < ids_rank; })) return;
  if (!made.wish.has_value()) made.wish.emplace();
  made.wish->is_summed = true;
}

// Constants, indices of loops and what is finished already hold no pending sums.
bool OpenGraph::may_be_pending(ValueId value) const {
  const auto& body = program_.nodes[value].body;
  if (const auto* made = std::get_if<open::Compute>(&body)) {
    const auto* operation = std::get_if<synth::Operation>(&made->operation);
    const bool is_constant = operation != nullptr && std::holds_alternative<synth::Constant>(*operation);
    return !is_constant && !std::holds_alternative<open::Finish>(made->operation);
  }
  return true;
}

Checked OpenGraph::finished(const Checked& value, const std::string& who, Span asked_at, bool is_output) {
  if (!may_be_pending(value.node())) return value;
  Checked whole = value;
  const ValueId id = emit(asked_at, {type(value)}, open::Compute{open::Finish{is_output}, {use(value)}, who});
  whole.nodes = {id};
  return whole;
}

Checked OpenGraph::scalar(Span span, const KnownScalar& value, ElementType element, const MeshRef& mesh) {
  synth::Literal literal{element, {}, {}};
  append_bytes(literal.bytes, value, element);
  Checked made = constant(span, std::move(literal), mesh);
  if (!synth::is_complex(element)) made.known = as_held(value, element);
  if (element == ElementType::i64 && std::holds_alternative<std::int64_t>(value)) {
    made.affine = Affine{{}, std::get<std::int64_t>(value)};
  }
  return made;
}

Checked OpenGraph::constant(Span span, synth::Literal literal, const MeshRef& mesh) {
  const open::Type result(literal.element, literal.shape, mesh);
  const synth::LiteralId id = program_.literals.add(std::move(literal));
  return compute(span, result, synth::Operation(synth::Constant{id}), {});
}

std::optional<open::Type> OpenGraph::made(Span span, ElementType element, const Shape& shape, const MeshRef& mesh) {
  auto fits = synth::check_shape(element, shape);
  if (fits.ok()) return open::Type(element, shape, mesh);
  for (Diagnostic& diagnostic : std::move(fits).errors()) report(std::move(diagnostic).at(span));
  return std::nullopt;
}

std::optional<std::int64_t> OpenGraph::known_integer(const Checked& value) const {
  if (!value.known.has_value() || !std::holds_alternative<std::int64_t>(*value.known)) return std::nullopt;
  return std::get<std::int64_t>(*value.known);
}

}  // namespace tessera::typeck
