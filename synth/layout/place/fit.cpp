#include "synth/layout/place/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::synth {

PlaceProblem place_problem(const Mesh& mesh, const Machine& machine) {
  PlaceProblem problem{axis_sizes(mesh), {}};
  for (const MachineLevel& level : machine.levels) problem.counts.push_back(level.count);
  std::int64_t rest = mesh.devices();
  std::vector<std::int64_t> counts = problem.counts;
  for (std::size_t level = counts.size(); level-- > 0;) {
    const std::int64_t of_level = counts[level];
    if (rest % of_level != 0 && of_level % rest != 0) return problem;
    counts[level] = std::min(rest, of_level);
    rest /= counts[level];
  }
  if (rest == 1) problem.counts = std::move(counts);
  return problem;
}

std::optional<PlaceMatrix> matrix_on(const Mesh& mesh, const Machine& machine) {
  const PlaceProblem problem = place_problem(mesh, machine);
  auto matrix = mesh.matrix() != nullptr ? std::optional(*mesh.matrix()) : std::nullopt;
  if (!matrix && mesh.is_row_major()) matrix = row_major_placement(problem);
  return matrix && is_placement(problem, *matrix) ? matrix : std::nullopt;
}

bool fills_units(const Cluster& cluster, const Mesh& mesh) {
  if (mesh.ranges().size() > 1) return false;
  const std::int64_t begin = mesh.devices_end() - mesh.devices();
  return std::all_of(cluster.levels().begin(), cluster.levels().end(), [&](const Cluster::Level& level) {
    const std::int64_t unit = level.unit_devices;
    const bool in_one = begin / unit == (mesh.devices_end() - 1) / unit;
    return in_one || (begin % unit == 0 && mesh.devices() % unit == 0);
  });
}

base::Result<RunMachine> machine_for(const Machine& machine, const Mesh& mesh) {
  TESSERA_TRY(checked, machine_for(machine, mesh.devices_end()));
  if (mesh.matrix() == nullptr || machine.levels.empty()) return checked;
  const PlaceProblem problem = place_problem(mesh, machine);
  if (is_placement(problem, *mesh.matrix())) return checked;
  return with_placements(
      bad_place(print(*mesh.matrix()),
                fmt::format("puts the mesh on levels of {}, but the machine's "
                            "are {}",
                            fmt::join(counts_of(*mesh.matrix()), ", "), fmt::join(problem.counts, ", "))),
      problem);
}

base::Diagnostic with_placements(base::Diagnostic why, const PlaceProblem& problem) {
  constexpr std::int64_t kNamedMax = 8;
  const std::int64_t count = placements_count(problem);
  if (count == 0) return why;
  if (count > kNamedMax) {
    return std::move(why).suggest(fmt::format(
        "there are {} matrices: `tessera place` ranks them; a row for each axis, a column for each level", count));
  }
  std::vector<std::string> all;
  for_each_placement(problem, [&](const PlaceMatrix& matrix) {
    all.push_back(print(matrix));
    return true;
  });
  return std::move(why).suggest(fmt::format("write {}{}", count == 1 ? "" : "one of ", fmt::join(all, ", ")));
}

}  // namespace tessera::synth
