// An elaborated text with its meshes placed: `place auto` compares matrices without reading the text again, for
// elaboration does not ask where the devices of a mesh lie. Private to typeck.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "synth/moves/prices/prices.hpp"
#include "typeck/elaborate/options.hpp"
#include "typeck/elaborate/values.hpp"

namespace tessera::typeck {

// Which mesh stands for which; others stand for themselves.
class PlacedMeshes {
 public:
  void place(synth::MeshRef mesh, synth::MeshRef placed) { all_.emplace_back(std::move(mesh), std::move(placed)); }
  synth::MeshRef operator()(const synth::MeshRef& mesh) const;
  open::Type operator()(const open::Type& type) const {
    return {type.element(), type.shape(), (*this)(type.mesh_ref())};
  }

 private:
  std::vector<std::pair<synth::MeshRef, synth::MeshRef>> all_;
};

// The meshes whose placement is searched for, placed by the matrices; nothing where one does not fit the machine.
std::optional<PlacedMeshes> placed_meshes(const std::vector<AutoPlaced>& searched, const Placements& placements,
                                          const synth::Machine& machine);

// Can the text have a meaning of its own under some matrix? So where another mesh has the same axes and devices: values
// on both meet in an operation only if both are placed alike.
bool depends_on_placement(const Elaborated& text);

// The program as it is elaborated on these meshes. Types of its variables are shared with the original.
Elaborated on_meshes(const Elaborated& text, const PlacedMeshes& meshes);

}  // namespace tessera::typeck
