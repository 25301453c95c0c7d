#include "typeck/placement/placed_program.hpp"

#include <algorithm>

#include "synth/layout/place/fit.hpp"

namespace tessera::typeck {

using synth::MeshRef;

MeshRef PlacedMeshes::operator()(const MeshRef& mesh) const {
  const auto found = std::ranges::find(all_, mesh, [](const auto& one) { return one.first; });
  return found == all_.end() ? mesh : found->second;
}

std::optional<PlacedMeshes> placed_meshes(const std::vector<AutoPlaced>& searched, const Placements& placements,
                                          const synth::Machine& machine) {
  PlacedMeshes meshes;
  for (std::size_t k = 0; k < searched.size() && k < placements.size(); ++k) {
    if (!placements[k].has_value()) continue;
    const MeshRef& mesh = searched[k].mesh;
    auto placed = synth::Mesh::make_on(mesh->axes(), mesh->ranges(), &*placements[k]);
    if (!placed.ok() || !synth::machine_for(machine, **placed).ok()) return std::nullopt;
    meshes.place(mesh, std::move(placed).value());
  }
  return meshes;
}

bool depends_on_placement(const Elaborated& text) {
  const auto may_be_same = [](const MeshRef& a, const MeshRef& b) {
    return a != b && a->axes() == b->axes() && a->has_devices_of(*b);
  };
  const std::vector<MeshRef> all = text.after.meshes();
  return std::ranges::any_of(text.placed_by_search, [&](const AutoPlaced& searched) {
    return std::ranges::any_of(all, [&](const MeshRef& other) { return may_be_same(searched.mesh, other); });
  });
}

Elaborated on_meshes(const Elaborated& text, const PlacedMeshes& meshes) {
  Elaborated placed = text;
  base::Store<open::Node, ValueId> nodes;
  for (open::Node node : text.program.nodes.items()) {
    for (open::Type& type : node.types) type = meshes(type);
    if (node.wish.has_value() && node.wish->mesh != nullptr) node.wish->mesh = meshes(node.wish->mesh);
    nodes.add(std::move(node));
  }
  placed.program.nodes = std::move(nodes);
  placed.after.replace_meshes([&](const MeshRef& mesh) { return meshes(mesh); });
  return placed;
}

}  // namespace tessera::typeck
