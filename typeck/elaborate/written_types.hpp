// Types and meshes as a text writes them: extents, axes, cuts, and where a mesh lies on the machine.
// Private to typeck/elaborate/.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "typeck/elaborate/open_graph.hpp"

namespace tessera::typeck {

class Elaborator;

class WrittenTypes {
 public:
  WrittenTypes(Elaborator& elaborator, const Placements& placements)
      : elaborator_(elaborator), placements_(placements) {}
  // `[..]` stands for `any_shape`, and is refused where there is none.
  std::optional<WrittenType> written_type(const Ast& ast, TypeId id, const Shape* file_shape = nullptr,
                                          const Shape* any_shape = nullptr);
  std::optional<MeshRef> made_mesh(Span span, const frontend::MeshStatement& statement);
  // The mesh where the text or a wish puts it.
  std::optional<MeshRef> placed_mesh(Span span, const frontend::MeshStatement& statement, const MeshRef& mesh);
  std::optional<WrittenType> lone_type();
  std::optional<MeshRef> lone_mesh();
  Preference want_of(const Ast& tree, TypeId id) const;
  open::Wish wish_of(const Ast& tree, TypeId id) const;
  std::optional<std::int64_t> constant_integer(ExprId expr, std::string_view what);
  std::optional<AxisList> axis_list(const std::vector<frontend::Name>& names, const synth::Mesh& mesh);
  std::optional<AxisList> axis_list(const std::vector<frontend::AxisUse>& uses, const synth::Mesh& mesh);
  static ElementType element_type(frontend::ElementKeyword keyword);
  // The meshes whose place is to be found, in the order of their statements.
  std::vector<AutoPlaced> take_placed_by_search() { return std::move(placed_by_search_); }
  // The cuts whose weights are to be chosen, in their order.
  std::vector<ChosenCut> take_chosen_cuts() { return std::move(chosen_cuts_); }
  // The last mesh statement was wrong: its axes are not known.
  void note_mesh(bool failed) { mesh_failed_ = failed; }

 private:
  void report_unknown_mesh(const frontend::Name& mesh);
  bool add_dimension(const frontend::Dimension& dimension, std::size_t number, const Shape* file_shape,
                     WrittenType& written);
  // `sizes` are those of the mesh's axes, of which this is one.
  std::optional<std::vector<synth::NamedCut>> named_cuts(const frontend::MeshAxis& axis, const synth::Mesh& mesh,
                                                         std::size_t number);
  std::optional<synth::Weights> weights_by_machine(const frontend::MeshAxis& axis, const frontend::NamedCut& cut,
                                                   const synth::Mesh& mesh, std::size_t number);
  synth::Weights chosen_weights(const frontend::MeshAxis& axis, const frontend::NamedCut& cut, const synth::Mesh& mesh,
                                std::size_t number);
  // The mesh; what is wrong with it is reported there.
  std::optional<MeshRef> reported(base::Result<MeshRef> mesh, Span span);
  std::optional<std::vector<synth::DeviceRange>> device_ranges(const frontend::OnDevices& on);
  std::optional<synth::PlaceMatrix> written_matrix(const frontend::Placement& place);
  bool may_search_placement(Span span);
  // A machine that is known has every device that the mesh names; else that is reported.
  bool has_its_devices(Span span, const synth::Mesh& mesh);
  std::optional<std::size_t> axis_number(const frontend::Name& name, const synth::Mesh& mesh);

  Elaborator& elaborator_;
  Placements placements_;
  std::vector<AutoPlaced> placed_by_search_;
  std::vector<ChosenCut> chosen_cuts_;
  bool mesh_failed_ = false;  // the last mesh statement's: its axes are not known
};

}  // namespace tessera::typeck
