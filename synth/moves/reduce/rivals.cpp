#include "synth/moves/reduce/rivals.hpp"

namespace tessera::synth {

LevelProgram ring_program(const ReduceLevels& levels, ReduceGoal goal) {
  const ReduceStepKind kind =
      goal == ReduceGoal::all_reduce ? ReduceStepKind::all_reduce : ReduceStepKind::reduce_scatter;
  return {{{kind, 0, static_cast<std::uint8_t>(levels.size()), false, ReduceForm::ring}}};
}

LevelProgram masters_program(const ReduceLevels& levels, double payload_bytes) {
  constexpr ReduceForm kForm = ReduceForm::halving;
  const auto all = static_cast<std::uint8_t>(levels.size());
  const bool masters = all > 1;
  LevelProgram program;
  if (masters) program.steps.push_back({ReduceStepKind::reduce, 1, all, false, kForm});
  if (payload_bytes <= kAsideBytesMax) {
    program.steps.push_back({ReduceStepKind::all_reduce, 0, 1, masters, kForm});
  } else {
    program.steps.push_back({ReduceStepKind::reduce_scatter, 0, 1, masters, kForm});
    program.steps.push_back({ReduceStepKind::all_gather, 0, 1, masters, kForm});
  }
  if (masters) program.steps.push_back({ReduceStepKind::broadcast, 1, all, false, kForm});
  return program;
}

PricedProgram short_program(ReduceGraphs& graphs, const ReducePrices& prices, std::size_t levels, ReduceGoal goal) {
  ReduceSearch search{goal, {ReduceForm::ring, ReduceForm::halving}};
  search.steps_max = 5;
  search.aside_bytes_max = kAsideBytesMax;
  return fastest_unstretched(graphs, prices, levels, search);
}

}  // namespace tessera::synth
