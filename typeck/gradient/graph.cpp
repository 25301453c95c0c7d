#include "typeck/gradient/graph.hpp"

#include "typeck/typed/known_scalar.hpp"

namespace tessera::typeck::gradient {

void Graph::spend() {
  limits_.stop.look();
  if (++spent_ + program_.nodes.size() > limits_.values_max) throw TooManyValues{limits_.statement};
}

ValueId Graph::emit(Span span, std::vector<open::Type> types, decltype(open::Node::body) body) {
  if (program_.nodes.size() >= limits_.values_max) throw TooManyValues{limits_.statement};
  open::Node node{span, std::move(types), std::move(body)};
  node.is_local = is_local_;
  node.again = again_;
  node.pass_there = pass_there_;
  node.pass = pass_;
  node.made_for = made_for_;
  node.entered = entered_;
  const ValueId id = program_.nodes.add(std::move(node));
  region_->order.push_back(id);
  return id;
}

ValueId Graph::enter(Span span, open::InstanceId function, std::vector<Use> arguments) {
  std::vector<open::Type> types;
  for (const Use& argument : arguments) types.push_back(type(argument));
  return emit(span, std::move(types), open::Enter{function, std::move(arguments)});
}

Use Graph::compute(Span span, const open::Type& type, open::Operation operation, std::vector<Use> operands,
                   std::string who) {
  return {emit(span, {type}, open::Compute{std::move(operation), std::move(operands), std::move(who)}), {}, {}};
}

void Graph::wish(const Use& value, ValueId as_that) {
  open::Wish wish;
  wish.as_that = as_that;
  set_wish(value.value, std::move(wish));
}

Use Graph::flat(const Use& value) {
  if (auto* made = std::get_if<open::Compute>(&program_.nodes[value.value].body)) made->is_flat = true;
  return value;
}

Use Graph::number(Span span, const KnownScalar& value, synth::ElementType element, const synth::MeshRef& mesh) {
  synth::Literal literal{element, {}, {}};
  append_bytes(literal.bytes, value, element);
  const synth::Operation constant = synth::Constant{program_.literals.add(std::move(literal))};
  Use made = compute(span, {element, {}, mesh}, constant, {});
  made.known = as_held(value, element);
  return made;
}

std::vector<ValueId> Graph::elements_of(ValueId node, Span span) {
  const std::vector<open::Type> types = program_.nodes[node].types;
  if (types.size() == 1) return {node};
  std::vector<ValueId> all;
  for (std::size_t k = 0; k < types.size(); ++k)
    all.push_back(emit(span, {types[k]}, open::Element{node, static_cast<std::uint32_t>(k)}));
  return all;
}

}  // namespace tessera::typeck::gradient
