#include "synth/redistribute/programs.hpp"

#include <algorithm>
#include <utility>

#include "synth/cluster/cluster.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/place/fit.hpp"
#include "synth/transfer/reduce_moves.hpp"

namespace tessera::synth {

ReduceGraphs& reduce_graphs() {
  thread_local ReduceGraphs all;
  return all;
}

std::optional<ReduceLevels> levels_of_sum(const Machine& machine, const Mesh& mesh, const AxisList& axes) {
  const PlaceProblem problem = place_problem(mesh, machine);
  auto matrix = mesh.matrix();
  if (!matrix && mesh.is_row_major()) matrix = row_major_placement(problem);
  const bool lies_on_levels = matrix && is_placement(problem, *matrix);
  return lies_on_levels ? reduce_levels(*matrix, axes) : std::nullopt;
}

namespace {

// Do the mesh's devices lie side by side, whole units of every level or all in one?
bool fills_units(const Cluster& cluster, const Mesh& mesh) {
  if (mesh.ranges().size() > 1) return false;
  const std::int64_t begin = mesh.devices_end() - mesh.devices();
  return std::all_of(cluster.levels().begin(), cluster.levels().end(), [&](const Cluster::Level& level) {
    const std::int64_t unit = level.unit_devices;
    const bool in_one = begin / unit == (mesh.devices_end() - 1) / unit;
    return in_one || (begin % unit == 0 && mesh.devices() % unit == 0);
  });
}

}  // namespace

bool has_programs(const Machine& machine, const ArrayType& type) {
  const Mesh& mesh = type.mesh();
  if (type.devices() > kExactDevicesMax || !(mesh.is_row_major() || mesh.matrix())) return false;
  const auto none = machine_for(Machine{}, Cluster(machine).devices());
  return none.ok() && machine.levels != none->levels && fills_units(Cluster(machine), mesh);
}

std::shared_ptr<const ReduceProgram> best_reduce_program(const Machine& machine, const Collective& step,
                                                         const ArrayType& before, const ArrayType& after,
                                                         double seconds) {
  const auto axes = without(before.layout().pending(), after.layout().pending());
  if (!axes || shard_count(*axes) > kProgramMembersMax) return nullptr;
  const auto levels = levels_of_sum(machine, after.mesh(), *axes);
  const auto bytes = static_cast<double>(tile_bytes_max(before));
  if (!levels || levels->empty() || bytes == 0) return nullptr;
  const ReduceGoal goal =
      step.kind == CollectiveKind::reduce_scatter ? ReduceGoal::reduce_scatter : ReduceGoal::all_reduce;
  const PricedProgram best = best_program(reduce_graphs(), Cluster(machine), *levels, bytes, goal);
  if (best.program.steps.empty() || best.seconds >= seconds) return nullptr;
  return std::make_shared<const ReduceProgram>(program_of(*levels, best.program));
}

}  // namespace tessera::synth
