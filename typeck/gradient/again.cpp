// Indices of turns that a reverse pass needs on other meshes.
#include <algorithm>

#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

namespace {

// Makes scalars again on a mesh: constants, indices of loops that are being made, and what is computed of them element
// by element.
class MadeAgain {
 public:
  MadeAgain(Inserter& inserter, const MeshRef& mesh, const std::vector<Loop*>& loops)
      : inserter_(inserter), mesh_(mesh), loops_(loops) {}

  bool can(NodeId id) {
    const auto known = possible_.find(id);
    if (known != possible_.end()) return known->second;
    const Node& node = inserter_.typed().nodes[id];
    const bool is_scalar = node.types.size() == 1 && node.types[0].rank() == 0;
    const bool is_possible = is_scalar && std::visit([&](const auto& body) { return can(id, body); }, node.body);
    return possible_.emplace(id, is_possible).first->second;
  }

  // The scalar on the other mesh: the node itself if it is there, or the node made again.
  NodeId node(NodeId id) {
    if (inserter_.type(id).mesh() == *mesh_) return id;
    if (const auto known = made_.find(id); known != made_.end()) return known->second;
    if (Loop* const loop = loop_of(id)) return index_of(*loop);
    const Node from = inserter_.typed().nodes[id];
    const auto& body = std::get<Compute>(from.body);
    std::vector<NodeId> operands;
    for (const NodeId operand : body.operands) operands.push_back(node(operand));
    const auto type = ArrayType::scalar(from.types[0].element(), mesh_);
    const NodeId again = inserter_.compute(from.span, type, body.operation, std::move(operands)).node();
    return made_.emplace(id, again).first->second;
  }

 private:
  template <class Body>
  bool can(NodeId, const Body&) const {
    return false;
  }
  bool can(NodeId id, const Parameter&) const { return loop_of(id) != nullptr; }
  bool can(NodeId, const Compute& body) {
    const bool is_pure =
        std::holds_alternative<synth::Constant>(body.operation) || std::holds_alternative<synth::Map>(body.operation);
    return is_pure && std::all_of(body.operands.begin(), body.operands.end(), [&](NodeId id) { return can(id); });
  }

  Loop* loop_of(NodeId id) const {
    const auto has_index = [&](const Loop* loop) {
      const auto& elsewhere = loop->indices_elsewhere;
      return loop->index == id || std::find(elsewhere.begin(), elsewhere.end(), id) != elsewhere.end();
    };
    const auto found = std::find_if(loops_.begin(), loops_.end(), has_index);
    return found == loops_.end() ? nullptr : *found;
  }

  NodeId index_of(Loop& loop) {
    if (inserter_.type(loop.index).mesh() == *mesh_) return loop.index;
    for (const NodeId index : loop.indices_elsewhere) {
      if (inserter_.type(index).mesh() == *mesh_) return index;
    }
    const base::Span span = inserter_.typed().nodes[loop.index].span;
    const auto type = ArrayType::scalar(ElementType::i64, mesh_);
    loop.indices_elsewhere.push_back(inserter_.typed().nodes.add(Node{span, {type}, Parameter{}}));
    return loop.indices_elsewhere.back();
  }

  Inserter& inserter_;
  const MeshRef& mesh_;
  const std::vector<Loop*>& loops_;
  std::map<NodeId, bool> possible_;
  std::map<NodeId, NodeId> made_;
};

}  // namespace

MaybeHeld Inserter::again_on(const Held& value, const MeshRef& mesh) {
  if (value.nodes.size() != 1) return std::nullopt;
  const ArrayType& own = type(value);
  if (own.mesh() == *mesh) return value;
  if (own.rank() != 0) return std::nullopt;
  Held again = value;
  if (value.known.has_value()) {
    again.nodes = scalar(value.span, *value.known, own.element(), mesh).nodes;
    return again;
  }
  MadeAgain made(*this, mesh, open_loops_);
  if (!made.can(value.node())) return std::nullopt;
  again.nodes = {made.node(value.node())};
  return again;
}

}  // namespace tessera::typeck
