// Places a mesh on the machine: as its statement says, or as the caller wishes.
#include "synth/kinds.hpp"
#include "synth/layout/place/fit.hpp"
#include "typeck/elaborate/elaborator.hpp"

namespace tessera::typeck {

std::optional<MeshRef> WrittenTypes::placed_mesh(Span span, const frontend::MeshStatement& statement,
                                                 const MeshRef& mesh) {
  const PlaceWish& wish = elaborator_.options().place;
  std::optional<synth::PlaceMatrix> matrix = wish.matrix;
  Span at = span;
  if (statement.place && !matrix && !wish.automatic) {
    at = statement.place->span;
    if (!statement.place->rows.empty()) {
      matrix = written_matrix(*statement.place);
      if (!matrix) return std::nullopt;
    }
  }
  if (!matrix && (statement.place || wish.automatic)) {
    if (!may_search_placement(at)) return std::nullopt;
    const std::size_t number = placed_by_search_.size();
    if (number < placements_.size()) matrix = placements_[number];
    placed_by_search_.push_back({statement.name.text, span, mesh});
  }
  if (!matrix && !has_its_devices(statement.on ? statement.on->span : span, *mesh)) return std::nullopt;
  if (!matrix) return mesh;
  const synth::Machine& machine = elaborator_.machine();
  auto placed = synth::Mesh::make_on(mesh->axes(), mesh->ranges(), &*matrix);
  if (placed && !machine.levels.empty()) {
    const auto fits = synth::machine_for(machine, **placed);
    if (!fits) placed = fits.errors();
  } else if (!placed && !machine.levels.empty()) {
    placed = synth::with_placements(placed.errors().front(), synth::place_problem(*mesh, machine));
  }
  if (placed) return *placed;
  Diagnostic why = placed.errors().front();
  if (why.help.empty()) why = std::move(why).suggest("a row for each axis, a column for each level of the machine");
  elaborator_.report(std::move(why).at(at));
  return std::nullopt;
}

bool WrittenTypes::has_its_devices(Span span, const synth::Mesh& mesh) {
  const auto fits = synth::machine_for(elaborator_.machine(), mesh.devices_end());
  if (fits.ok() || !(fits.errors().front().kind == synth::Kind::machine_mismatch)) return true;
  elaborator_.report(base::Diagnostic(fits.errors().front()).at(span));
  return false;
}

std::optional<synth::PlaceMatrix> WrittenTypes::written_matrix(const frontend::Placement& place) {
  synth::PlaceMatrix matrix;
  for (const std::vector<ExprId>& row : place.rows) {
    matrix.rows.emplace_back();
    for (const ExprId number : row) {
      const auto factor = constant_integer(number, "a number of a placement");
      if (!factor) return std::nullopt;
      matrix.rows.back().push_back(*factor);
    }
  }
  return matrix;
}

bool WrittenTypes::may_search_placement(Span span) {
  if (elaborator_.options().bare_expressions) {
    elaborator_.report(
        base::make(Kind::place_auto, "a whole program, and a session has none")
            .at(span)
            .suggest("`:placements` ranks them by what the session has moved; then write `place` and the matrix"));
    return false;
  }
  if (!elaborator_.machine().levels.empty()) return true;
  elaborator_.report(base::make(Kind::place_auto, "a machine file with levels")
                         .at(span)
                         .suggest("give a machine file: --machine FILE"));
  return false;
}

}  // namespace tessera::typeck
