// Meshes on the levels of a machine.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/layout/place/matrix.hpp"

namespace tessera::synth {

// The axes of a mesh, and the levels that it lies on: of a machine with more devices as much, from the inside out, as
// the mesh has; all of them if it fits no part of the machine.
PlaceProblem place_problem(const Mesh& mesh, const Machine& machine);

// The matrix by which a mesh lies on these levels: its own, or that of row-major order; nothing where none says it.
std::optional<PlaceMatrix> matrix_on(const Mesh& mesh, const Machine& machine);

// Do the mesh's devices lie side by side, whole units of every level or all in one?
bool fills_units(const Cluster& cluster, const Mesh& mesh);

// The machine for a mesh: as machine_for() for its devices of the run, and `bad-place` where a matrix puts the mesh on
// other levels than the machine has.
base::Result<RunMachine> machine_for(const Machine& machine, const Mesh& mesh);

// `bad-place` with the matrices that there are, if they are few.
base::Diagnostic with_placements(base::Diagnostic why, const PlaceProblem& problem);

}  // namespace tessera::synth
