// Private to synth: a problem as the search sees it. Every node has strategies, each with a label for every place that
// the node fills in a star, and a cost; every value is a star.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "synth/choose/space.hpp"
#include "synth/choose/star.hpp"
#include "synth/program/choice/problem.hpp"

namespace tessera::synth {

struct ModelStrategy {
  std::vector<std::uint32_t> labels;  // of every slot its label, in the star of the slot
  double seconds = 0;                 // of the node by itself, times its executions; with the price of memory, if any
  double local_seconds = 0;           // without
  std::size_t number = 0;             // among all strategies of the node, those that were dropped included
};

// Where a slot of a node lies: slots 0 to uses - 1 are what it uses, then comes its result.
struct ModelSlot {
  std::size_t star = 0;
  std::size_t place = 0;
};

struct ModelNode {
  std::vector<ModelSlot> slots;
  std::vector<ModelStrategy> strategies;  // those that are left
};

// A value of more than kReadersMax readers hands some of them to a join behind its maker, and so on: the problem below
// is the given one with these joins.
struct Model {
  ChoiceProblem problem;
  std::vector<std::size_t> joins_of;  // of every node of `problem` the given one, or kAdded
  std::vector<ModelNode> nodes;
  std::vector<Star> stars;  // of every value
  std::vector<std::shared_ptr<LayoutPrices>> prices;
  std::size_t strategies = 0;  // before any was dropped

  static constexpr std::size_t kAdded = static_cast<std::size_t>(-1);
  const Layout& layout(std::size_t star, std::size_t place, std::uint32_t label) const {
    const Star& own = stars[star];
    return own.prices->layout(place == 0 ? own.made[label] : own.wanted[label]);
  }
  std::size_t plans() const;
};

// A strategy for every node: its place among those that are left.
using Assignment = std::vector<std::size_t>;

// Is a strategy of a node of the model's problem in the model? `number` is the node's; asked once for each strategy, in
// their order.
using StrategyFilter = std::function<bool(const ChoiceNode& node, std::size_t number, const Strategy& strategy)>;

// What of a problem's space a model has, and by what its conversions are priced.
struct ModelScope {
  StrategyFilter keeps = {};                               // nothing: all; a node of which none is kept has all
  std::vector<std::shared_ptr<LayoutPrices>> prices = {};  // of another model of the problem, to go on with
  PricedBy priced_by = PricedBy::plans;
};

// Fails (internal) where a node has no strategy. Problem and machines outlive the model.
base::Result<std::unique_ptr<Model>> model_of(const ChoiceProblem& problem, const Machine& machine,
                                              const Machine& devices, const ModelScope& scope = {});

// What the program takes: local steps and copies.
double seconds_of(const Model& model, const Assignment& assignment);
double seconds_of_star(const Model& model, const Assignment& assignment, std::size_t star);

}  // namespace tessera::synth
