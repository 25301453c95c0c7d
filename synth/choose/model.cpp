#include "synth/choose/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/stop_scope.hpp"
#include "synth/program/compute_cost.hpp"

namespace tessera::synth {

namespace {

// ---- Values of many readers ----

struct ReaderPlace {
  std::size_t node = 0;
  std::size_t use = 0;
};

std::vector<std::vector<ReaderPlace>> readers_of_values(const ChoiceProblem& problem) {
  std::vector<std::vector<ReaderPlace>> readers(problem.values.size());
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    for (std::size_t u = 0; u < problem.nodes[n].uses.size(); ++u)
      readers[problem.nodes[n].uses[u].value.value].push_back({n, u});
  }
  return readers;
}

// The first value with too many readers hands the later ones to a join; false if there is none.
bool split_one(Model& model) {
  ChoiceProblem& problem = model.problem;
  const auto readers = readers_of_values(problem);
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    if (!problem.nodes[n].result) continue;
    const ChoiceValueId value = *problem.nodes[n].result;
    const std::vector<ReaderPlace>& own = readers[value.value];
    if (own.size() <= kReadersMax) continue;
    ChoiceNode join;
    join.uses = {{value, {}}};
    join.executions = problem.nodes[n].executions;
    join.may_be_pending = true;
    join.result = problem.add(problem[value].element, problem[value].shape);
    for (std::size_t k = kReadersMax - 1; k < own.size(); ++k)
      problem.nodes[own[k].node].uses[own[k].use].value = *join.result;
    const auto behind = static_cast<std::ptrdiff_t>(n + 1);
    problem.nodes.insert(problem.nodes.begin() + behind, std::move(join));
    model.joins_of.insert(model.joins_of.begin() + behind, Model::kAdded);
    return true;
  }
  return false;
}

// ---- Strategies and stars ----

class ModelBuilder {
 public:
  ModelBuilder(Model& model, const Machine& machine, const Machine& devices, const ModelScope& scope)
      : model_(model),
        machine_(machine),
        devices_(devices),
        scope_(scope),
        space_(space_of(model.problem)),
        kinds_(kinds_of_parts(model.problem)) {}

  base::Status run() {
    make_stars();
    for (std::size_t n = 0; n < model_.problem.nodes.size(); ++n) {
      base::look_for_stop();
      TESSERA_TRY_STATUS(add_node(n));
    }
    for (Star& star : model_.stars) {
      base::look_for_stop();
      finish(star);
    }
    return base::Done{};
  }

 private:
  const ChoiceProblem& problem() const { return model_.problem; }

  LayoutPrices* prices_of(const ChoiceValue& value) {
    for (const auto& prices : model_.prices) {
      if (prices->is_of(value.element, value.shape)) return prices.get();
    }
    model_.prices.push_back(
        std::make_shared<LayoutPrices>(problem().mesh, value.element, value.shape, machine_, scope_.priced_by));
    return model_.prices.back().get();
  }

  void make_stars() {
    model_.stars.resize(problem().values.size());
    const auto readers = readers_of_values(problem());
    for (std::size_t v = 0; v < model_.stars.size(); ++v) {
      Star& star = model_.stars[v];
      star.value = v;
      star.prices = prices_of(problem().values[v]);
      star.places.resize(1 + readers[v].size());
      for (std::size_t k = 0; k < readers[v].size(); ++k) star.places[k + 1] = {readers[v][k].node, readers[v][k].use};
    }
    model_.nodes.resize(problem().nodes.size());
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      const ChoiceNode& node = problem().nodes[n];
      model_.nodes[n].slots.resize(node.uses.size());
      if (!node.result) continue;
      Star& star = model_.stars[node.result->value];
      star.executions = node.executions;
      star.places[0] = {n, node.uses.size()};
      model_.nodes[n].slots.push_back({node.result->value, 0});
    }
    for (std::size_t v = 0; v < model_.stars.size(); ++v) {
      Star& star = model_.stars[v];
      for (std::size_t place = 1; place < star.places.size(); ++place) {
        const StarPlace& own = star.places[place];
        model_.nodes[own.node].slots[own.slot] = {v, place};
        const auto executions = problem().nodes[own.node].uses[own.slot].executions;
        star.of_readers.push_back(executions.value_or(star.executions));
      }
    }
  }

  // The label of a layout in a star, which gets it if it has it not yet.
  std::uint32_t label_of(const ModelSlot& slot, const Layout& layout) {
    Star& star = model_.stars[slot.star];
    const int number = star.prices->number_of(layout);
    std::vector<int>& own = slot.place == 0 ? star.made : star.wanted;
    const auto found = std::ranges::find(own, number);
    if (found != own.end()) return static_cast<std::uint32_t>(found - own.begin());
    own.push_back(number);
    return static_cast<std::uint32_t>(own.size() - 1);
  }

  base::Status add_node(std::size_t n) {
    const ChoiceNode& node = problem().nodes[n];
    for (const Strategy& strategy :
         kept(n, node.operation ? strategies_of_operation(node) : strategies_of_join(node))) {
      ModelStrategy own;
      for (std::size_t u = 0; u < node.uses.size(); ++u)
        own.labels.push_back(label_of(model_.nodes[n].slots[u], strategy.operands[u]));
      if (node.result) own.labels.push_back(label_of(model_.nodes[n].slots.back(), strategy.result));
      if (node.operation) own.seconds = node.executions * local(node, strategy);
      own.local_seconds = own.seconds;
      own.number = model_.nodes[n].strategies.size();
      model_.nodes[n].strategies.push_back(std::move(own));
    }
    model_.strategies += model_.nodes[n].strategies.size();
    if (!model_.nodes[n].strategies.empty()) return base::Done{};
    return base::make(base::Kind::internal, fmt::format("no layouts fit node {} of a choice", n));
  }

  std::vector<Strategy> kept(std::size_t n, std::vector<Strategy> all) const {
    if (!scope_.keeps) return all;
    std::vector<Strategy> some;
    for (const Strategy& strategy : all) {
      if (scope_.keeps(problem().nodes[n], n, strategy)) some.push_back(strategy);
    }
    return some.empty() ? all : some;
  }

  std::vector<Strategy> strategies_of_operation(const ChoiceNode& node) const {
    std::vector<ChoiceValue> operands;
    for (const ChoiceUse& use : node.uses) operands.push_back(problem()[use.value]);
    std::vector<Strategy> all = strategies_of(space_, node, operands, problem()[*node.result], kinds_);
    if (node.pin) std::erase_if(all, [&](const Strategy& strategy) { return strategy.result != *node.pin; });
    return all;
  }

  std::vector<Strategy> strategies_of_join(const ChoiceNode& node) const {
    const ChoiceValue& value = problem()[node.result ? *node.result : node.uses[0].value];
    std::vector<Layout> layouts;
    if (node.pin) layouts = {*node.pin};
    if (!node.pin) layouts = layouts_of(space_, value, node.may_be_pending ? kinds_ : std::vector<ReduceOp>{});
    std::vector<Strategy> all;
    for (const Layout& layout : layouts) all.push_back({std::vector<Layout>(node.uses.size(), layout), layout});
    return all;
  }

  double local(const ChoiceNode& node, const Strategy& strategy) const {
    std::vector<ArrayType> operands;
    for (std::size_t u = 0; u < node.uses.size(); ++u)
      operands.push_back(*type_in(problem(), node.uses[u].value, strategy.operands[u]));
    return local_seconds(devices_, *node.operation, operands, *type_in(problem(), *node.result, strategy.result));
  }

  void finish(Star& star) {
    const std::size_t count = star.wanted.size();
    for (const int from : star.made) {
      for (const int to : star.wanted) {
        star.seconds.push_back(star.prices->seconds(from, to));
        star.free.push_back(star.seconds.back() == 0 ? 1 : 0);
      }
    }
    star.served.resize(count);
    for (std::size_t m = 0; m < count; ++m) {
      for (std::size_t l = 0; l < count; ++l) {
        if (star.prices->is_free(star.wanted[m], star.wanted[l]))
          star.served[m].push_back(static_cast<std::uint32_t>(l));
      }
    }
  }

  Model& model_;
  const Machine& machine_;
  const Machine& devices_;
  const ModelScope& scope_;
  SpaceOf space_;
  std::vector<ReduceOp> kinds_;
};

}  // namespace

std::size_t Model::plans() const {
  std::size_t sum = 0;
  for (const auto& own : prices) sum += own->plans();
  return sum;
}

base::Result<std::unique_ptr<Model>> model_of(const ChoiceProblem& problem, const Machine& machine,
                                              const Machine& devices, const ModelScope& scope) {
  check_problem(problem);
  auto model = std::make_unique<Model>();
  model->problem = problem;
  model->prices = scope.prices;
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) model->joins_of.push_back(n);
  while (split_one(*model)) base::look_for_stop();
  TESSERA_TRY_STATUS(ModelBuilder(*model, machine, devices, scope).run());
  return model;
}

double seconds_of_star(const Model& model, const Assignment& assignment, std::size_t number) {
  const Star& star = model.stars[number];
  if (star.readers() == 0) return 0;
  std::vector<std::size_t> labels;
  for (const StarPlace& place : star.places)
    labels.push_back(model.nodes[place.node].strategies[assignment[place.node]].labels[place.slot]);
  const std::size_t made = labels.front();
  labels.erase(labels.begin());
  return cost_of(star, made, labels);
}

double seconds_of(const Model& model, const Assignment& assignment) {
  double seconds = 0;
  for (std::size_t n = 0; n < model.nodes.size(); ++n) seconds += model.nodes[n].strategies[assignment[n]].seconds;
  for (std::size_t v = 0; v < model.stars.size(); ++v) seconds += seconds_of_star(model, assignment, v);
  return seconds;
}

}  // namespace tessera::synth
