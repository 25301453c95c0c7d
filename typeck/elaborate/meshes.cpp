// Several meshes: which scalars are on all of them, and what has crossed from one to another.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/elaborator.hpp"

namespace tessera::typeck {

namespace {

// Makes scalars again on a mesh: constants, indices of loops that are being made, and what is computed of them element
// by element.
class MadeAgain {
 public:
  MadeAgain(Elaborator& elaborator, const MeshRef& mesh, const std::vector<open::Loop*>& loops)
      : elaborator_(elaborator), mesh_(mesh), loops_(loops) {}

  bool can(ValueId id) {
    const auto known = possible_.find(id);
    if (known != possible_.end()) return known->second;
    const open::Node& node = elaborator_.program().nodes[id];
    const bool is_scalar = node.types.size() == 1 && node.types[0].rank() == 0;
    const bool is_possible = is_scalar && std::visit([&](const auto& body) { return can(id, body); }, node.body);
    return possible_.emplace(id, is_possible).first->second;
  }

  // The scalar on the other mesh: the node itself if it is there, or the node made again.
  ValueId node(ValueId id) {
    if (elaborator_.type(id).mesh() == *mesh_) return id;
    if (const auto known = made_.find(id); known != made_.end()) return known->second;
    if (open::Loop* const loop = loop_of(id)) return index_of(*loop);
    const open::Node from = elaborator_.program().nodes[id];
    if (const auto* as = std::get_if<open::As>(&from.body)) return node(as->operand.value);
    const auto& body = std::get<open::Compute>(from.body);
    if (std::holds_alternative<open::Finish>(body.operation)) return node(body.operands[0].value);
    std::vector<Checked> operands;
    for (const open::Use& operand : body.operands)
      operands.push_back(Checked{{node(operand.value)}, operand.span, {}, operand.known, {}});
    const open::Type type(from.types[0].element(), {}, mesh_);
    const ValueId again = elaborator_.compute(from.span, type, body.operation, operands, body.who).node();
    return made_.emplace(id, again).first->second;
  }

 private:
  template <class Body>
  bool can(ValueId, const Body&) const {
    return false;
  }
  bool can(ValueId id, const open::Parameter&) const { return loop_of(id) != nullptr; }
  bool can(ValueId, const open::As& body) { return body.layout.pending.empty() && can(body.operand.value); }
  bool can(ValueId, const open::Compute& body) {
    const auto* operation = std::get_if<synth::Operation>(&body.operation);
    const bool is_pure = operation == nullptr ? std::holds_alternative<open::Finish>(body.operation)
                                              : std::holds_alternative<synth::Constant>(*operation) ||
                                                    std::holds_alternative<synth::Map>(*operation);
    return is_pure && std::all_of(body.operands.begin(), body.operands.end(),
                                  [&](const open::Use& use) { return can(use.value); });
  }

  open::Loop* loop_of(ValueId id) const {
    const auto has_index = [&](const open::Loop* loop) {
      const auto& elsewhere = loop->indices_elsewhere;
      return loop->index == id || std::find(elsewhere.begin(), elsewhere.end(), id) != elsewhere.end();
    };
    const auto found = std::find_if(loops_.begin(), loops_.end(), has_index);
    return found == loops_.end() ? nullptr : *found;
  }

  ValueId index_of(open::Loop& loop) {
    if (elaborator_.type(loop.index).mesh() == *mesh_) return loop.index;
    for (const ValueId index : loop.indices_elsewhere) {
      if (elaborator_.type(index).mesh() == *mesh_) return index;
    }
    loop.indices_elsewhere.push_back(
        elaborator_.parameter(elaborator_.program().nodes[loop.index].span, {ElementType::i64, {}, mesh_}));
    return loop.indices_elsewhere.back();
  }

  Elaborator& elaborator_;
  const MeshRef& mesh_;
  const std::vector<open::Loop*>& loops_;
  std::map<ValueId, bool> possible_;
  std::map<ValueId, ValueId> made_;
};

}  // namespace

MaybeValue Elaborator::again_on(const Checked& value, const MeshRef& mesh) {
  if (value.nodes.size() != 1) return std::nullopt;
  const open::Type own = type(value);
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

std::string Elaborator::name_or(const synth::Mesh& mesh, std::string_view otherwise) const {
  const NamedMesh* const named = environment_.name_of(mesh, mesh_moment());
  return named == nullptr ? std::string(otherwise) : named->name;
}

std::string Elaborator::with_name(const synth::Mesh& mesh) const {
  const std::string name = name_or(mesh, "");
  return name.empty() ? synth::print(mesh) : fmt::format("{} ({})", name, synth::print(mesh));
}

std::string Elaborator::mesh_remark(const synth::Mesh& mesh) const {
  const bool has_text = !synth::print(mesh).empty();
  return has_text ? "this is on mesh " + with_name(mesh) : "this is on one device";
}

// A known value says nothing about the mesh, one that can be made again little; any other value says it.
bool Elaborator::unify_meshes(std::vector<Checked>& values, Span span) {
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
