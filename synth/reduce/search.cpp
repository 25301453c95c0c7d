#include "synth/reduce/search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/check.hpp"

namespace tessera::synth {

namespace {

constexpr std::array<std::int64_t, 15> kStretches{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
constexpr double kMessageBytesMin = 4096;
// Levels that have a form of their own; with more, all have the same.
constexpr std::size_t kFormLevelsMax = 4;

struct Way {
  double seconds = std::numeric_limits<double>::infinity();
  std::int32_t from = -1;
  LevelStep step;
};

// The seconds of a step in the cheapest of the forms, worked out once.
class StepPrices {
 public:
  StepPrices(const ReducePrices& prices, const std::vector<ReduceForm>& forms) : prices_(&prices), forms_(&forms) {}

  std::pair<double, ReduceForm> of(const ReduceGraph::Edge& edge) {
    const auto [found, is_new] = known_.try_emplace({edge.step, edge.split});
    if (is_new) found->second = cheapest(edge);
    return found->second;
  }

 private:
  std::pair<double, ReduceForm> cheapest(const ReduceGraph::Edge& edge) const {
    std::pair<double, ReduceForm> best{std::numeric_limits<double>::infinity(), ReduceForm::direct};
    for (const ReduceForm form : *forms_) {
      LevelStep step = edge.step;
      step.form = form;
      const double seconds = prices_->seconds(step, edge.split);
      if (seconds < best.first) best = {seconds, form};
    }
    return best;
  }

  const ReducePrices* prices_;
  const std::vector<ReduceForm>* forms_;
  std::map<std::pair<LevelStep, std::uint32_t>, std::pair<double, ReduceForm>> known_;
};

// Ways by number of steps, so that a search may be limited in them and shorter programs come first.
using Layer = std::map<std::int32_t, Way>;

LevelProgram program_to(const std::vector<Layer>& layers, std::size_t steps, std::int32_t node) {
  LevelProgram program;
  for (std::size_t i = steps; i > 0; --i) {
    const Way& way = layers[i].at(node);
    program.steps.insert(program.steps.begin(), way.step);
    node = way.from;
  }
  return program;
}

LevelStep over(ReduceStepKind kind, std::size_t level, ReduceForm form) {
  return LevelStep{kind, static_cast<std::uint8_t>(level), static_cast<std::uint8_t>(level + 1), false, form};
}

// `at_once`: the outermost level in one step.
LevelProgram nested(const std::vector<ReduceForm>& forms, ReduceGoal goal, bool at_once) {
  LevelProgram program;
  const bool scatters = goal == ReduceGoal::reduce_scatter;
  for (std::size_t level = forms.size(); level-- > 1;)
    program.steps.push_back(over(ReduceStepKind::reduce_scatter, level, forms[level]));
  if (at_once && !scatters) {
    program.steps.push_back(over(ReduceStepKind::all_reduce, 0, forms[0]));
  } else {
    program.steps.push_back(over(ReduceStepKind::reduce_scatter, 0, forms[0]));
  }
  for (std::size_t level = at_once ? 1 : 0; level < forms.size() && !scatters; ++level)
    program.steps.push_back(over(ReduceStepKind::all_gather, level, forms[level]));
  return program;
}

// What participants hold is cut by all levels that are scattered and not gathered yet.
std::vector<std::uint32_t> splits_of_nested(const LevelProgram& program) {
  std::vector<std::uint32_t> splits;
  std::uint32_t split = 0;
  for (const LevelStep& step : program.steps) {
    splits.push_back(split);
    if (step.kind == ReduceStepKind::reduce_scatter) split |= 1U << step.begin;
    if (step.kind == ReduceStepKind::all_gather) split &= ~(1U << step.begin);
  }
  return splits;
}

std::vector<ReduceForm> forms_of(std::size_t levels, std::uint32_t choice) {
  std::vector<ReduceForm> forms;
  for (std::size_t level = 0; level < levels; ++level) {
    const bool halves = (choice >> (levels > kFormLevelsMax ? 0 : level) & 1U) != 0;
    forms.push_back(halves ? ReduceForm::halving : ReduceForm::direct);
  }
  return forms;
}

void take_faster(PricedProgram& best, PricedProgram other) {
  if (best.program.steps.empty() || other.seconds < best.seconds) best = std::move(other);
}

PricedProgram in_best_stretches(const ReducePrices& prices, LevelProgram program) {
  const PipelineSeconds seconds(hops_of(prices, program, splits_of_nested(program)));
  double best = seconds(1);
  for (const std::int64_t stretches : kStretches) {
    if (seconds.message_bytes() / static_cast<double>(stretches) < kMessageBytesMin) break;
    const double now = seconds(stretches);
    if (now >= best) continue;
    best = now;
    program.stretches = stretches;
  }
  return {std::move(program), best};
}

}  // namespace

ReduceGraph& ReduceGraphs::of(std::size_t levels) {
  TESSERA_CHECK(levels >= 1 && levels <= kSearchLevelsMax, "a graph of so many levels");
  return graphs_.try_emplace(levels, levels).first->second;
}

PricedProgram fastest_unstretched(ReduceGraphs& graphs, const ReducePrices& prices, std::size_t levels,
                                  const ReduceSearch& search) {
  ReduceGraph& graph = graphs.of(levels);
  StepPrices step_prices(prices, search.forms);
  std::vector<Layer> layers{{{ReduceGraph::kStart, Way{0, -1, {}}}}};
  std::map<std::int32_t, double> reached{{ReduceGraph::kStart, 0}};
  PricedProgram best;
  best.seconds = search.seconds_max;
  for (std::size_t steps = 0; steps < search.steps_max && !layers[steps].empty(); ++steps) {
    Layer next;
    for (const auto& [node, way] : layers[steps]) {
      if (way.seconds >= best.seconds) continue;
      for (const ReduceGraph::Edge& edge : graph.edges(node)) {
        const auto [price, form] = step_prices.of(edge);
        const double seconds = way.seconds + price;
        const auto [known, is_new] = reached.try_emplace(edge.to, seconds);
        if (seconds >= best.seconds || (!is_new && seconds >= known->second)) continue;
        known->second = seconds;
        LevelStep step = edge.step;
        step.form = form;
        next[edge.to] = Way{seconds, node, step};
      }
    }
    layers.push_back(std::move(next));
    for (const auto& [node, way] : layers.back()) {
      if (!graph.is_goal(node, search.goal) || way.seconds >= best.seconds) continue;
      best = {program_to(layers, steps + 1, node), way.seconds};
    }
  }
  return best;
}

PricedProgram fastest_nested(const ReducePrices& prices, const ReduceLevels& levels, ReduceGoal goal) {
  PricedProgram best;
  const std::uint32_t choices = levels.size() > kFormLevelsMax ? 2U : 1U << levels.size();
  for (std::uint32_t choice = 0; choice < choices; ++choice) {
    const std::vector<ReduceForm> forms = forms_of(levels.size(), choice);
    for (const bool at_once : {true, false}) {
      if (!at_once && goal == ReduceGoal::reduce_scatter) continue;
      take_faster(best, in_best_stretches(prices, nested(forms, goal, at_once)));
    }
  }
  return best;
}

PricedProgram best_program(ReduceGraphs& graphs, const Cluster& cluster, const ReduceLevels& levels,
                           double payload_bytes, ReduceGoal goal) {
  const ReducePrices prices(cluster, levels, payload_bytes);
  PricedProgram best = fastest_nested(prices, levels, goal);
  if (levels.size() > kSearchLevelsMax) return best;
  const ReduceSearch search{goal, {ReduceForm::direct, ReduceForm::halving}, ReduceSearch{}.steps_max, best.seconds};
  PricedProgram unstretched = fastest_unstretched(graphs, prices, levels.size(), search);
  return unstretched.program.steps.empty() ? best : unstretched;
}

std::optional<double> program_seconds(const Cluster& cluster, const ReduceLevels& levels, double payload_bytes,
                                      ReduceGoal goal, const LevelProgram& program) {
  const auto splits = splits_of(program, levels.size(), goal);
  if (!splits) return std::nullopt;
  return PipelineSeconds(hops_of(ReducePrices(cluster, levels, payload_bytes), program, *splits))(program.stretches);
}

}  // namespace tessera::synth
