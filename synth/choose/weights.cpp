#include "synth/choose/weights.hpp"

#include <utility>

namespace tessera::synth {

base::Result<ChoiceProblem> with_weights(const ChoiceProblem& problem, const OpenCut& cut, const Weights& weights) {
  const Mesh& mesh = *problem.mesh;
  TESSERA_CHECK(cut.axis < mesh.axes().size() && cut.cut > 0 && cut.cut <= mesh.axes()[cut.axis].cuts.size(),
                "the mesh has no such cut");
  std::vector<MeshAxis> axes = mesh.axes();
  axes[cut.axis].cuts[cut.cut - 1U].weights = weights;
  ChoiceProblem with = problem;
  TESSERA_TRY(own, Mesh::make_on(std::move(axes), mesh.ranges(), mesh.matrix()));
  with.mesh = std::move(own);
  return with;
}

base::Result<WeightedChoice> choose_with_weights(const ChoiceProblem& problem, const OpenCut& cut, PlanCache& cache,
                                                 const ChooseOptions& options, base::StopToken stop) {
  return base::guarded([&]() -> base::Result<WeightedChoice> {
    const Mesh& mesh = *problem.mesh;
    WeightedChoice best;
    bool is_closed = true;
    for (const Weights& weights : weights_to_search(cache.machine(), mesh, cut.axis)) {
      TESSERA_TRY(with, with_weights(problem, cut, weights));
      TESSERA_TRY(choice, choose(with, cache, options, stop));
      is_closed = is_closed && choice.proof != ChoiceProof::limit;
      const bool is_better = best.searched == 0 || choice.seconds < best.choice.seconds;
      ++best.searched;
      if (is_better) best = {weights, std::move(with), std::move(choice), best.searched, false};
    }
    best.is_exact = is_closed && weights_to_search_are_all(cache.machine(), mesh, cut.axis);
    return best;
  });
}

}  // namespace tessera::synth
