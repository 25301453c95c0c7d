#include "synth/planner/programs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/place/fit.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/transfer/reduce_moves.hpp"

namespace tessera::synth {

namespace {

// Levels whose units a sum may be taken by: those of several devices, and devices whose own links differ. Innermost
// first.
std::vector<const Cluster::Level*> levels_of_units(const Cluster& cluster) {
  std::vector<const Cluster::Level*> levels;
  for (const Cluster::Level& level : cluster.levels()) {
    if (level.unit_devices > 1 || !level.is_even()) levels.insert(levels.begin(), &level);
  }
  return levels;
}

// In thousandths of the fastest.
std::vector<std::int64_t> rates_of(const Cluster::Level& level) {
  constexpr double kFastest = 1000;
  std::vector<std::int64_t> rates;
  std::int64_t common = 0;
  for (const double bandwidth : level.bandwidths) {
    rates.push_back(std::max<std::int64_t>(1, std::llround(kFastest * bandwidth / level.bandwidth)));
    common = std::gcd(common, rates.back());
  }
  for (std::int64_t& rate : rates) rate /= common;
  return rates;
}

// By units of that level of the machine for which it is fastest.
ReduceProgramRef best_unit_program(const RunMachine& machine, const Collective& step, const ArrayType& before,
                                   const ArrayType& after, double seconds) {
  const bool scatters = std::holds_alternative<ReduceScatter>(step.effect);
  const ReduceStepKind kind = scatters ? ReduceStepKind::reduce_scatter : ReduceStepKind::all_reduce;
  const AxisList reduced = *without(before.layout().pending(), after.layout().pending());
  const Cluster cluster(machine);
  ReduceProgramRef best;
  for (const Cluster::Level* level : levels_of_units(cluster)) {
    auto rates = scatters ? std::vector<std::int64_t>() : rates_of(*level);
    ReduceProgram program{{{kind, reduced, {}, ReduceForm::units, level->unit_devices, std::move(rates)}}, 1};
    const Collective by_units{step.effect, std::make_shared<const ReduceProgram>(program)};
    const auto reduction = ProgrammedReduction::of(by_units, before, after);
    if (!reduction) continue;
    const auto [stretches, now] = reduction->best_stretches(cluster);
    if (now >= seconds) continue;
    seconds = now;
    program.stretches = stretches;
    best = std::make_shared<const ReduceProgram>(std::move(program));
  }
  return best;
}

}  // namespace

std::optional<ReduceLevels> levels_of_sum(const RunMachine& machine, const Mesh& mesh, const AxisList& axes) {
  if (!fills_units(Cluster(machine), mesh)) return std::nullopt;
  const auto matrix = matrix_on(mesh, machine);
  return matrix ? reduce_levels(*matrix, axes) : std::nullopt;
}

bool has_programs(const RunMachine& machine, const Mesh& mesh, std::int64_t members) {
  if (is_wide(mesh.devices(), members) && !(fills_units(Cluster(machine), mesh) && matrix_on(mesh, machine)))
    return false;
  if (!mesh.is_row_major() && mesh.matrix() == nullptr) return false;
  return !is_assumed(machine);
}

ReduceProgramRef best_reduce_program(ReduceGraphs& graphs, const RunMachine& machine, const Collective& step,
                                     const ArrayType& before, const ArrayType& after, double seconds) {
  const auto axes = without(before.layout().pending(), after.layout().pending());
  if (!axes) return nullptr;
  const auto levels = levels_of_sum(machine, after.mesh(), *axes);
  auto bytes = static_cast<double>(tile_bytes_max(before));
  if (bytes == 0) return nullptr;
  if (const auto* scatter = std::get_if<ReduceScatter>(&step.effect))
    bytes /= static_cast<double>(shard_count(scatter->cut));
  if (!levels && is_wide(after.devices(), shard_count(*axes))) return nullptr;
  if (!levels) return best_unit_program(machine, step, before, after, seconds);
  if (levels->empty()) return nullptr;
  const ReduceGoal goal =
      std::holds_alternative<ReduceScatter>(step.effect) ? ReduceGoal::reduce_scatter : ReduceGoal::all_reduce;
  const Cluster cluster(machine);
  if (is_wide(after.devices(), shard_count(*axes))) {
    const PricedProgram even = fastest_nested(ReducePrices(cluster, *levels, bytes), *levels, goal);
    return even.seconds < seconds ? std::make_shared<const ReduceProgram>(program_of(*levels, even.program)) : nullptr;
  }
  const PricedProgram best = best_program(graphs, cluster, *levels, bytes, goal);
  const bool is_faster = !best.program.steps.empty() && best.seconds < seconds;
  const auto has_lists = [](const MachineLevel& level) { return !level.unit_bandwidths.empty(); };
  if (std::any_of(machine.levels.begin(), machine.levels.end(), has_lists)) {
    auto by_units = best_unit_program(machine, step, before, after, is_faster ? best.seconds : seconds);
    if (by_units != nullptr) return by_units;
  }
  return is_faster ? std::make_shared<const ReduceProgram>(program_of(*levels, best.program)) : nullptr;
}

}  // namespace tessera::synth
