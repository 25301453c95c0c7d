#include "synth/reduce/rivals.hpp"

namespace tessera::synth {

LevelProgram ring_program(const ReduceLevels& levels, ReduceGoal goal) {
  const ReduceStepKind kind =
      goal == ReduceGoal::all_reduce ? ReduceStepKind::all_reduce : ReduceStepKind::reduce_scatter;
  return {{{kind, 0, static_cast<std::uint8_t>(levels.size()), false, ReduceForm::ring}}};
}

LevelProgram masters_program(const ReduceLevels& levels) {
  constexpr ReduceForm kForm = ReduceForm::halving;
  const auto all = static_cast<std::uint8_t>(levels.size());
  if (all < 2) return {{{ReduceStepKind::all_reduce, 0, all, false, kForm}}};
  return {{{ReduceStepKind::reduce, 1, all, false, kForm},
           {ReduceStepKind::all_reduce, 0, 1, true, kForm},
           {ReduceStepKind::broadcast, 1, all, false, kForm}}};
}

PricedProgram short_program(ReduceGraphs& graphs, const ReducePrices& prices, std::size_t levels, ReduceGoal goal) {
  ReduceSearch search{goal, {ReduceForm::ring, ReduceForm::halving}};
  search.steps_max = 5;
  return fastest_unstretched(graphs, prices, levels, search);
}

}  // namespace tessera::synth
