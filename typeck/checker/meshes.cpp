// Several meshes: which scalars are on all of them, and what has crossed from one to another.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/checker/checker.hpp"

namespace tessera::typeck {

namespace {

// Makes scalars again on a mesh: constants, indices of loops that are being made, and what is computed of them element
// by element.
class MadeAgain {
 public:
  MadeAgain(Checker& checker, const MeshRef& mesh, const std::vector<Loop*>& loops)
      : checker_(checker), mesh_(mesh), loops_(loops) {}

  bool can(NodeId id) {
    const auto known = possible_.find(id);
    if (known != possible_.end()) return known->second;
    const Node& node = checker_.typed().nodes[id];
    const bool is_scalar = node.types.size() == 1 && node.types[0].rank() == 0;
    const bool is_possible = is_scalar && std::visit([&](const auto& body) { return can(id, body); }, node.body);
    return possible_.emplace(id, is_possible).first->second;
  }

  // The scalar on the other mesh: the node itself if it is there, or the node made again.
  NodeId node(NodeId id) {
    if (checker_.type(id).mesh() == *mesh_) return id;
    if (const auto known = made_.find(id); known != made_.end()) return known->second;
    if (Loop* const loop = loop_of(id)) return index_of(*loop);
    const Node from = checker_.typed().nodes[id];
    const auto& body = std::get<Compute>(from.body);
    std::vector<NodeId> operands;
    for (const NodeId operand : body.operands) operands.push_back(node(operand));
    const auto type = ArrayType::scalar(from.types[0].element(), mesh_);
    const NodeId again = checker_.compute(from.span, type, body.operation, std::move(operands)).node();
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
    if (checker_.type(loop.index).mesh() == *mesh_) return loop.index;
    for (const NodeId index : loop.indices_elsewhere) {
      if (checker_.type(index).mesh() == *mesh_) return index;
    }
    const base::Span span = checker_.typed().nodes[loop.index].span;
    const auto type = ArrayType::scalar(ElementType::i64, mesh_);
    loop.indices_elsewhere.push_back(checker_.typed().nodes.add(Node{span, {type}, Parameter{}}));
    return loop.indices_elsewhere.back();
  }

  Checker& checker_;
  const MeshRef& mesh_;
  const std::vector<Loop*>& loops_;
  std::map<NodeId, bool> possible_;
  std::map<NodeId, NodeId> made_;
};

}  // namespace

MaybeValue Checker::again_on(const Checked& value, const MeshRef& mesh) {
  if (value.nodes.size() != 1) return std::nullopt;
  const ArrayType& own = type(value);
  if (own.mesh() == *mesh) return value;
  if (own.rank() != 0) return std::nullopt;
  Checked again = value;
  if (value.known.has_value()) {
    again.nodes = scalar(value.span, *value.known, own.element(), mesh).nodes;
    return again;
  }
  MadeAgain made(*this, mesh, open_loops_);
  if (!made.can(value.node())) return std::nullopt;
  again.nodes = {made.node(value.node())};
  return again;
}

std::string Checker::name_or(const synth::Mesh& mesh, std::string_view otherwise) const {
  const NamedMesh* const named = environment_.name_of(mesh, mesh_moment());
  return named == nullptr ? std::string(otherwise) : named->name;
}

std::string Checker::with_name(const synth::Mesh& mesh) const {
  const std::string name = name_or(mesh, "");
  return name.empty() ? synth::print(mesh) : fmt::format("{} ({})", name, synth::print(mesh));
}

synth::PlanWords Checker::plan_words() const {
  return {[this](const synth::Mesh& mesh) { return with_name(mesh); }, default_mesh(), &plans_.machine()};
}

std::string Checker::mesh_remark(const synth::Mesh& mesh) const {
  const bool has_text = !synth::print(mesh).empty();
  return has_text ? "this is on mesh " + with_name(mesh) : "this is on one device";
}

// A known value says nothing about the mesh, one that can be made again little; any other value says it.
bool Checker::unify_meshes(std::vector<Checked>& values, Span span) {
  const auto first_of = [&](const auto& says) { return std::find_if(values.begin(), values.end(), says); };
  auto first = first_of([](const Checked& value) { return !value.known.has_value(); });
  const MeshRef said = first != values.end() ? type(*first).mesh_ref() : default_mesh();
  const auto is_elsewhere = [&](const Checked& value) { return type(value).mesh() != *said; };
  if (std::none_of(values.begin(), values.end(), is_elsewhere)) return true;
  const auto firm = first_of([&](const Checked& value) {
    return !value.known.has_value() && !MadeAgain(*this, said, open_loops_).can(value.node());
  });
  if (firm != values.end()) first = firm;
  const MeshRef mesh = first != values.end() ? type(*first).mesh_ref() : said;
  for (Checked& value : values) {
    if (MaybeValue again = again_on(value, mesh)) {
      value = std::move(*again);
      continue;
    }
    report(base::make(Kind::two_meshes)
               .at(span)
               .also(value.span, mesh_remark(type(value).mesh()))
               .also(first->span, mesh_remark(*mesh))
               .suggest(fmt::format("bring both to one mesh: `as TYPE on {}`", name_or(*mesh, "MESH"))));
    return false;
  }
  return true;
}

}  // namespace tessera::typeck
