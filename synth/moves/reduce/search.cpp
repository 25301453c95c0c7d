#include "synth/moves/reduce/search.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/stop_scope.hpp"
#include "synth/moves/transfer/stretches.hpp"

namespace tessera::synth {

namespace {

// Levels that have a form of their own; with more, all have the same.
constexpr std::size_t kFormLevelsMax = 4;

// A way to a state: its last step, after a way of the layer before.
struct Arrival {
  std::int32_t node = 0;
  std::int32_t after = -1;
  double seconds = 0;
  LevelStep step;
};
// Ways of the same number of steps, so that a search may be limited in them and shorter programs come first.
using Layer = std::vector<Arrival>;

// A difference by rounding alone does not make a program faster.
bool is_faster(double seconds, double than) { return seconds < than * (1 - 1e-12); }

// Does everybody read what others write in the step?
bool makes_aside(const LevelStep& step) {
  return step.kind == ReduceStepKind::all_reduce && step.form == ReduceForm::halving;
}

// Only what is passed on in parts makes use of a ring.
bool has_form(ReduceStepKind kind, ReduceForm form) {
  return form != ReduceForm::ring || (kind != ReduceStepKind::reduce && kind != ReduceStepKind::broadcast);
}

// The seconds of a step in the cheapest of the forms, worked out once.
class StepPrices {
 public:
  StepPrices(const ReducePrices& prices, const ReduceSearch& search, std::size_t count)
      : prices_(&prices), search_(&search), known_(count, {-1, ReduceForm::direct}) {}

  std::pair<double, ReduceForm> of(const ReduceGraph::Edge& edge) {
    auto& known = known_[edge.price];
    if (known.first < 0) known = cheapest(edge);
    return known;
  }

 private:
  std::pair<double, ReduceForm> cheapest(const ReduceGraph::Edge& edge) const {
    std::pair<double, ReduceForm> best{std::numeric_limits<double>::infinity(), ReduceForm::direct};
    for (const ReduceForm form : search_->forms) {
      LevelStep step = edge.step;
      step.form = form;
      if (!has_form(step.kind, form)) continue;
      if (makes_aside(step) && prices_->bytes(edge.split) > search_->aside_bytes_max) continue;
      const double seconds = prices_->seconds(step, edge.split);
      if (is_faster(seconds, best.first)) best = {seconds, form};
    }
    return best;
  }

  const ReducePrices* prices_;
  const ReduceSearch* search_;
  std::vector<std::pair<double, ReduceForm>> known_;
};

// The least seconds to each node so far, and where a node is in the layer that is being made.
class Reached {
 public:
  // True if no way to the node was as fast.
  bool improve(std::int32_t node, double seconds) {
    const auto at = static_cast<std::size_t>(node);
    if (at >= seconds_.size()) seconds_.resize(2 * at + 16, std::numeric_limits<double>::infinity());
    if (!is_faster(seconds, seconds_[at])) return false;
    seconds_[at] = seconds;
    return true;
  }
  void put(Layer& layer, const Arrival& way) {
    const auto at = static_cast<std::size_t>(way.node);
    if (at >= index_.size()) index_.resize(2 * at + 16, 0);
    const std::size_t index = index_[at];
    if (index < layer.size() && layer[index].node == way.node) {
      layer[index] = way;
      return;
    }
    index_[at] = layer.size();
    layer.push_back(way);
  }

 private:
  std::vector<double> seconds_;
  std::vector<std::size_t> index_;
};

LevelProgram program_to(const std::vector<Layer>& layers, const Arrival& end) {
  LevelProgram program;
  const Arrival* way = &end;
  for (std::size_t layer = layers.size() - 1; layer > 0; --layer) {
    program.steps.insert(program.steps.begin(), way->step);
    way = &layers[layer - 1][static_cast<std::size_t>(way->after)];
  }
  return program;
}

// The ways that are one step longer than the last layer's.
Layer next_layer(ReduceGraph& graph, StepPrices& prices, Reached& reached, const Layer& last, double seconds_max) {
  Layer next;
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (!is_faster(last[i].seconds, seconds_max)) continue;
    base::look_for_stop();
    for (const ReduceGraph::Edge& edge : graph.edges(last[i].node)) {
      const auto [price, form] = prices.of(edge);
      const double seconds = last[i].seconds + price;
      if (!is_faster(seconds, seconds_max) || !reached.improve(edge.to, seconds)) continue;
      LevelStep step = edge.step;
      step.form = form;
      reached.put(next, Arrival{edge.to, static_cast<std::int32_t>(i), seconds, step});
    }
  }
  return next;
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

// The participants' chunks are cut by all levels that are scattered and not gathered yet.
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
  if (best.program.steps.empty() || is_faster(other.seconds, best.seconds)) best = std::move(other);
}

PricedProgram in_best_stretches(const ReducePrices& prices, LevelProgram program) {
  const PipelineSeconds seconds(hops_of(prices, program, splits_of_nested(program)));
  const auto [stretches, best] =
      best_stretches_of(seconds.message_bytes(), [&](std::int64_t in) { return seconds(in); });
  program.stretches = stretches;
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
  StepPrices step_prices(prices, search, graph.prices());
  Reached reached;
  std::vector<Layer> layers{{Arrival{ReduceGraph::kStart, -1, 0, {}}}};
  reached.improve(ReduceGraph::kStart, 0);
  PricedProgram best{{}, search.seconds_max};
  for (std::size_t steps = 0; steps < search.steps_max && !layers.back().empty(); ++steps) {
    layers.push_back(next_layer(graph, step_prices, reached, layers.back(), best.seconds));
    for (const Arrival& way : layers.back()) {
      if (graph.is_goal(way.node, search.goal) && is_faster(way.seconds, best.seconds))
        best = {program_to(layers, way), way.seconds};
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
      LevelProgram program = nested(forms, goal, at_once);
      const std::vector<std::uint32_t> splits = splits_of_nested(program);
      const bool aside = std::any_of(program.steps.begin(), program.steps.end(), makes_aside);
      if (aside && prices.bytes(splits[levels.size() - 1]) > kAsideBytesMax) continue;
      take_faster(best, in_best_stretches(prices, std::move(program)));
    }
  }
  return best;
}

PricedProgram best_program(ReduceGraphs& graphs, const Cluster& cluster, const ReduceLevels& levels,
                           double payload_bytes, ReduceGoal goal) {
  const ReducePrices prices(cluster, levels, payload_bytes);
  PricedProgram best = fastest_nested(prices, levels, goal);
  if (levels.size() > kSearchLevelsMax) return best;
  const ReduceSearch search{goal,
                            {ReduceForm::direct, ReduceForm::halving, ReduceForm::ring},
                            ReduceSearch{}.steps_max,
                            best.seconds,
                            kAsideBytesMax};
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
