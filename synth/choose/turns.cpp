#include "synth/choose/turns.hpp"

#include <utility>

#include "synth/program/compute_cost.hpp"

namespace tessera::synth {

namespace {

constexpr std::size_t kTurnsMax = 10;

struct TurnShares {
  Weights weights;
  double seconds = 0;
};

// The shares under which these layouts take the least.
base::Result<TurnShares> best_shares(const ChoiceProblem& problem, const OpenCut& cut, const LayoutChoice& choice,
                                     PlanCache& cache, base::StopToken stop) {
  TurnShares best{Weights::even(1), -1};
  for (const Weights& weights : weights_to_search(cache.machine(), *problem.mesh, cut.axis)) {
    TESSERA_TRY(with, with_weights(problem, cut, weights));
    TESSERA_TRY(seconds, seconds_in(with, choice, cache, stop));
    if (best.seconds < 0 || seconds < best.seconds) best = {weights, seconds};
  }
  return best;
}

}  // namespace

base::Result<double> seconds_in(const ChoiceProblem& problem, const LayoutChoice& choice, PlanCache& cache,
                                base::StopToken stop) {
  const Machine devices = with_every_device(cache.machine(), problem.mesh->devices_end());
  double seconds = 0;
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    const ChoiceNode& node = problem.nodes[n];
    if (!node.operation) continue;
    std::vector<ArrayType> operands;
    for (std::size_t u = 0; u < node.uses.size(); ++u)
      operands.push_back(*type_in(problem, node.uses[u].value, choice.nodes[n].uses[u].layout));
    const ArrayType result = *type_in(problem, *node.result, *choice.nodes[n].result);
    seconds += node.executions * local_seconds(devices, *node.operation, operands, result);
  }
  for (const ChosenConversion& one : choice.conversions) {
    const ArrayType from = *type_in(problem, one.value, one.plan->from.layout());
    const ArrayType to = *type_in(problem, one.value, one.plan->to.layout());
    TESSERA_TRY(plan, cache.get(from, to, {}, stop));
    seconds += one.executions * plan->seconds;
  }
  return seconds;
}

base::Result<WeightedChoice> choose_in_turns(const ChoiceProblem& problem, const OpenCut& cut, PlanCache& cache,
                                             const ChooseOptions& options, base::StopToken stop) {
  const std::vector<Weights> all = weights_to_search(cache.machine(), *problem.mesh, cut.axis);
  TESSERA_CHECK(!all.empty(), "no shares can be");
  Weights weights = all.back();
  WeightedChoice best;
  for (std::size_t turn = 0; turn < kTurnsMax; ++turn) {
    TESSERA_TRY(with, with_weights(problem, cut, weights));
    TESSERA_TRY(choice, choose(with, cache, options, stop));
    TESSERA_TRY(shares, best_shares(with, cut, choice, cache, stop));
    const bool is_better = best.searched == 0 || choice.seconds < best.choice.seconds;
    ++best.searched;
    if (is_better) best = {weights, std::move(with), std::move(choice), best.searched, false};
    if (shares.weights == weights) break;
    weights = shares.weights;
  }
  return best;
}

}  // namespace tessera::synth
