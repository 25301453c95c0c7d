#include "typeck/insert/typed_graph.hpp"

#include "typeck/typed/known_scalar.hpp"

namespace tessera::typeck {

NodeId TypedGraph::emit(Span span, std::vector<ArrayType> types, decltype(Node::body) body) {
  TESSERA_CHECK(region_ != nullptr, "a node is made outside every region");
  spend();
  const NodeId id = typed_.nodes.add(Node{span, std::move(types), std::move(body), pass_});
  region_->order.push_back(id);
  return id;
}

Held TypedGraph::compute(Span span, const ArrayType& result, synth::Operation operation, std::vector<NodeId> operands,
                         std::int64_t received_bytes, std::string who) {
  const NodeId id =
      emit(span, {result}, Compute{std::move(operation), std::move(operands), received_bytes, std::move(who)});
  return Held{{id}, span, {}, {}};
}

Held TypedGraph::scalar(Span span, const KnownScalar& value, ElementType element, const MeshRef& mesh) {
  synth::Literal literal{element, {}, {}};
  append_bytes(literal.bytes, value, element);
  const synth::LiteralId id = typed_.literals.add(std::move(literal));
  Held made = compute(span, ArrayType::scalar(element, mesh), synth::Constant{id}, {});
  made.known = as_held(value, element);
  return made;
}

// The results of a loop, branch or call: an element of each where there are several.
Held TypedGraph::elements_of(NodeId node, Span span) {
  const std::vector<ArrayType> types = typed_.nodes[node].types;
  if (types.size() == 1) return Held{{node}, span, {}, {}};
  Held all{{}, span, {}, {}};
  for (std::size_t k = 0; k < types.size(); ++k) {
    all.nodes.push_back(emit(span, {types[k]}, Element{node, static_cast<std::uint32_t>(k)}));
  }
  return all;
}

}  // namespace tessera::typeck
