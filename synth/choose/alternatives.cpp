#include "synth/choose/alternatives.hpp"

#include <algorithm>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/choose/model.hpp"
#include "synth/choose/rounds.hpp"
#include "synth/choose/search.hpp"
#include "synth/choose/space.hpp"
#include "synth/program/choice/memory.hpp"
#include "synth/program/compute_cost.hpp"

namespace tessera::synth {

namespace {

// Does a node use only what is made behind it? A parameter's join does, which uses its next value.
bool uses_later_values(const ChoiceProblem& problem, std::size_t node) {
  const auto& uses = problem.nodes[node].uses;
  return std::ranges::all_of(uses, [&](const ChoiceUse& use) {
    for (std::size_t n = 0; n < node; ++n) {
      if (problem.nodes[n].result == use.value) return false;
    }
    return true;
  });
}

// What was read of the value is read of the join's, which lies where the join's own read put it.
void hand_over_lives(ChoiceProblem& problem, ChoiceValueId value, std::size_t join) {
  std::vector<ChoiceLife> added;
  for (ChoiceLife& life : problem.lives) {
    for (ChoiceRead& read : life.reads) read.node += read.node >= join ? 1 : 0;
    if (life.value != value) continue;
    ChoiceLife own = life;
    own.value = *problem.nodes[join].result;
    own.has_room = false;
    added.push_back(std::move(own));
    life.reads = {{join, 0, life.born, life.dies}};
  }
  for (ChoiceLife& life : added) problem.lives.push_back(std::move(life));
}

class Alternatives {
 public:
  Alternatives(const AnnotatedValue& value, PlanCache& cache, const ChooseOptions& options, base::StopToken stop)
      : problem_(value.problem), node_(value.node), cache_(cache), options_(options), stop_(stop) {}

  base::Result<std::vector<LayoutAlternative>> run() {
    const Machine devices = with_every_device(cache_.machine(), problem_.mesh->devices_end());
    const bool is_limited = !problem_.lives.empty() && !memory_limits(devices, *problem_.mesh).empty();
    if (is_limited || has_rounds(problem_))
      by_choices();
    else
      TESSERA_TRY_STATUS(by_searches(devices));
    std::ranges::stable_sort(found_, {}, &LayoutAlternative::seconds);
    return std::move(found_);
  }

 private:
  // Within what devices hold, and by rounds, where the program with the annotation is a choice like any other.
  void by_choices() {
    ChoiceProblem other = problem_;
    const ChoiceNode& own = problem_.nodes[node_];
    for (const Layout& layout : layouts_of(space_of(problem_), problem_[*own.result], kinds_of_parts(problem_))) {
      stop_.look();
      other.nodes[node_].pin = layout;
      const auto choice = choose(other, cache_, options_, stop_);
      if (choice.ok() && !choice->shortage) found_.push_back({layout, choice->seconds, choice->bound_seconds});
    }
  }

  // Otherwise the prices of plans are the same for all.
  base::Status by_searches(const Machine& devices) {
    TESSERA_TRY(model, model_of(problem_, cache_.machine(), devices));
    const auto at = static_cast<std::size_t>(std::ranges::find(model->joins_of, node_) - model->joins_of.begin());
    const Star& star = model->stars[model->problem.nodes[at].result->value];
    for (std::uint32_t label = 0; label < star.made.size(); ++label) {
      stop_.look();
      Model one = *model;
      std::erase_if(one.nodes[at].strategies, [&](const ModelStrategy& own) { return own.labels.back() != label; });
      const Searched searched = search(one, options_);
      if (searched.best.empty()) continue;
      found_.push_back({star.prices->layout(star.made[label]), seconds_of(one, searched.best), searched.bound});
    }
    return base::Done{};
  }

  const ChoiceProblem& problem_;
  std::size_t node_;
  PlanCache& cache_;
  const ChooseOptions& options_;
  base::StopToken stop_;
  std::vector<LayoutAlternative> found_;
};

}  // namespace

AnnotatedValue annotated(const ChoiceProblem& problem, std::size_t maker) {
  const ChoiceNode& own = problem.nodes[maker];
  TESSERA_CHECK(own.result.has_value(), "only a value has layouts");
  AnnotatedValue made{problem, maker};
  if (!own.operation && uses_later_values(problem, maker)) return made;
  if (!own.operation && own.pin) {
    made.problem.nodes[maker].pin.reset();
    made.problem.nodes[maker].may_be_pending = true;
    return made;
  }
  const ChoiceValueId value = *own.result;
  ChoiceNode join;
  join.executions = own.executions;
  join.may_be_pending = true;
  join.result = made.problem.add(problem[value].element, problem[value].shape);
  for (ChoiceNode& node : made.problem.nodes) {
    for (ChoiceUse& use : node.uses) {
      if (use.value == value) use.value = *join.result;
    }
  }
  join.uses = {{value, {}}};
  made.node = maker + 1;
  made.problem.nodes.insert(made.problem.nodes.begin() + static_cast<std::ptrdiff_t>(made.node), std::move(join));
  hand_over_lives(made.problem, value, made.node);
  return made;
}

base::Result<std::vector<LayoutAlternative>> alternatives_of(const ChoiceProblem& problem, std::size_t node,
                                                             PlanCache& cache, const ChooseOptions& options,
                                                             base::StopToken stop) {
  return base::guarded_until_stopped([&]() -> base::Result<std::vector<LayoutAlternative>> {
    TESSERA_CHECK(node < problem.nodes.size(), "only a value has layouts");
    const base::StopScope scope(stop);
    const AnnotatedValue value = annotated(problem, node);
    auto found = Alternatives(value, cache, options, stop).run();
    stop.look();
    return found;
  });
}

}  // namespace tessera::synth
