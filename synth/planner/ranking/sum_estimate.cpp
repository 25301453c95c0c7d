#include "synth/planner/ranking/sum_estimate.hpp"

#include <algorithm>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/reduce/price.hpp"
#include "synth/planner/programs.hpp"

namespace tessera::synth {

double SumEstimate::of(const PlaceMatrix& matrix, const ArrayType& from, const ArrayType& to) {
  const auto is_kept = [&](const AxisPart& part) { return to.layout().uses(part); };
  const auto summed = without(from.layout().pending(), to.layout().pending());
  const auto levels = summed ? reduce_levels(matrix, *summed) : std::nullopt;
  if (!levels || levels->empty()) return 0;
  const bool scatters = std::all_of(summed->begin(), summed->end(), is_kept);
  const ReduceGoal goal = scatters ? ReduceGoal::reduce_scatter : ReduceGoal::all_reduce;
  const auto bytes = static_cast<double>(tile_bytes_max(from));
  const double whole = of_sum(*levels, bytes, goal);
  std::vector<AxisList> used = from.layout().splits();
  used.push_back(from.layout().pending());
  const AxisList same = unused(mesh_, used);
  AxisList gathered = same;
  std::erase_if(gathered, is_kept);
  const auto gather = reduce_levels(matrix, gathered);
  if (same.empty() || !gather) return whole;
  const auto copies = static_cast<double>(shard_count(same));
  return std::min(whole, of_sum(*levels, bytes / copies, goal) + of_gather(*gather, bytes));
}

double SumEstimate::of_sum(const ReduceLevels& levels, double bytes, ReduceGoal goal) {
  Key key{{}, bytes, goal};
  for (const ReduceLevel& level : levels) std::get<0>(key).emplace_back(level.factor, level.machine_level);
  const auto [known, is_new] = known_.try_emplace(std::move(key), 0);
  if (is_new) known->second = search(levels, bytes, goal);
  return known->second;
}

// By a program where the planner has one, else by direct steps.
double SumEstimate::search(const ReduceLevels& levels, double bytes, ReduceGoal goal) {
  std::int64_t members = 1;
  for (const ReduceLevel& level : levels) members *= level.factor;
  const ReducePrices prices(cluster_, levels, bytes);
  if (is_wide(mesh_.devices(), members) && has_programs(machine_, mesh_, members))
    return fastest_nested(prices, levels, goal).seconds;
  const bool by_program = has_programs(machine_, mesh_, members) || levels.size() > kSearchLevelsMax;
  if (by_program) return best_program(graphs_, cluster_, levels, bytes, goal).seconds;
  ReduceSearch search;
  search.goal = goal;
  search.forms = {ReduceForm::direct};
  return fastest_unstretched(graphs_, prices, levels.size(), search).seconds;
}

double SumEstimate::of_gather(const ReduceLevels& levels, double bytes) const {
  if (levels.empty()) return 0;
  const auto all = static_cast<std::uint8_t>(levels.size());
  const LevelStep step{ReduceStepKind::all_gather, 0, all, false, ReduceForm::direct};
  return ReducePrices(cluster_, levels, bytes).seconds(step, (1U << all) - 1);
}

}  // namespace tessera::synth
