#include "synth/choose/alternatives.hpp"

#include <algorithm>

#include "synth/choose/space.hpp"

namespace tessera::synth {

base::Result<std::vector<LayoutAlternative>> alternatives_of(const ChoiceProblem& problem, std::size_t node,
                                                             PlanCache& cache, const ChooseOptions& options,
                                                             base::StopToken stop) {
  return base::guarded_until_stopped([&]() -> base::Result<std::vector<LayoutAlternative>> {
    TESSERA_CHECK(node < problem.nodes.size() && problem.nodes[node].result, "only a value has layouts");
    std::vector<LayoutAlternative> found;
    ChoiceProblem other = problem;
    const ChoiceNode& own = problem.nodes[node];
    std::vector<Layout> layouts{own.pin.value_or(Layout::replicated(0))};
    if (!own.pin) layouts = layouts_of(space_of(problem), problem[*own.result], kinds_of_parts(problem));
    for (const Layout& layout : layouts) {
      stop.look();
      other.nodes[node].pin = layout;
      auto choice = choose(other, cache, options, stop);
      if (choice.ok() && !choice->shortage) found.push_back({layout, choice->seconds});
    }
    stop.look();
    std::ranges::stable_sort(found, {}, &LayoutAlternative::seconds);
    return found;
  });
}

}  // namespace tessera::synth
