// How others finish sums on machines of levels: in one ring; by masters, as MPI libraries do on nodes; by the best of
// five steps at most, as P2 does.
#include <memory>
#include <optional>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/reduce/rivals.hpp"
#include "synth/planner/chain.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/programs.hpp"
#include "synth/planner/rivals/refusals.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

using rivals::unsupported;

// The one sum that makes the target of the source, if one does.
std::optional<Collective> lone_sum(const ArrayType& from, const ArrayType& to) {
  if (from.mesh() != to.mesh()) return std::nullopt;
  const PendingChange change = pending_change(from, to);
  if (change.resolve.empty() || !change.keep.empty()) return std::nullopt;
  const auto leads_there = [&](const Collective& step) {
    const auto after = apply(step, from);
    return after.ok() && same_type(*after, to);
  };
  Collective reduced = all_reduce_step(change.resolve);
  if (leads_there(reduced)) return reduced;
  for (std::size_t d = 0; d < to.rank(); ++d) {
    const auto entering = without_leading(to.layout().split(d), from.layout().split(d));
    if (!entering || !same_axes(canonical_set(*entering), canonical_set(change.resolve))) continue;
    Collective scattered = reduce_scatter_step(*entering, d);
    if (leads_there(scattered)) return scattered;
  }
  return std::nullopt;
}

// On groups that do not end where units do there is a ring, and nothing else.
base::Result<ReduceProgram> ring_of(const std::optional<ReduceLevels>& levels, const AxisList& axes, ReduceGoal goal) {
  if (levels) return program_of(*levels, ring_program(*levels, goal));
  const bool scatters = goal == ReduceGoal::reduce_scatter;
  const ReduceStepKind kind = scatters ? ReduceStepKind::reduce_scatter : ReduceStepKind::all_reduce;
  return ReduceProgram{{{kind, axes, {}, ReduceForm::ring}}, 1};
}

base::Result<ReduceProgram> program_by(Planner planner, const ArrayType& from, const AxisList& axes, ReduceGoal goal,
                                       const RunMachine& machine) {
  const auto levels = levels_of_sum(machine, from.mesh(), axes);
  if (planner == Planner::ring) return ring_of(levels, axes, goal);
  if (!levels) return unsupported(planner, "groups of devices do not end where units of the machine do");
  const auto bytes = static_cast<double>(tile_bytes_max(from));
  if (planner == Planner::smp) {
    if (goal == ReduceGoal::reduce_scatter) return unsupported(planner, "a master gives everybody the same");
    return program_of(*levels, masters_program(*levels, bytes));
  }
  if (levels->size() > kSearchLevelsMax) return unsupported(planner, "the sum is over more than 8 levels");
  const Cluster cluster(machine);
  const ReducePrices prices(cluster, *levels, bytes);
  ReduceGraphs graphs;
  return program_of(*levels, short_program(graphs, prices, levels->size(), goal).program);
}

}  // namespace

base::Result<Chain> sum_chain(const ArrayType& from, const ArrayType& to, Planner planner, const RunMachine& machine) {
  auto sum = lone_sum(from, to);
  if (!sum) return unsupported(planner, "the change is not just a sum");
  if (from.devices() > kExactDevicesMax) return unsupported(planner, "there are more than 512 devices");
  const AxisList axes = pending_change(from, to).resolve;
  if (!has_programs(machine, from.mesh(), shard_count(axes)))
    return unsupported(planner, "no machine file describes the links");
  const ReduceGoal goal =
      std::holds_alternative<ReduceScatter>(sum->effect) ? ReduceGoal::reduce_scatter : ReduceGoal::all_reduce;
  TESSERA_TRY(program, program_by(planner, from, axes, goal, machine));
  sum->recipe = std::make_shared<const ReduceProgram>(std::move(program));
  return Chain{*sum};
}

}  // namespace tessera::synth
