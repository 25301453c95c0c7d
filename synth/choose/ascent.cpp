#include "synth/choose/ascent.hpp"

#include <algorithm>

#include "base/stop_scope.hpp"

namespace tessera::synth {

namespace {

constexpr double kWorthASweep = 1e-9;
// Sums of rounded numbers are not trusted to the last bit: a strategy goes only if it is dearer by more than this.
constexpr double kRoundedApart = 1e-11;

double least_in(const std::vector<double>& all) { return *std::ranges::min_element(all); }

}  // namespace

Ascent::Ascent(Model& model, const std::vector<StarCosts>& begin)
    : model_(model), costs_(begin), reduced_(model.nodes.size()) {
  costs_.resize(model.stars.size());
  for (std::size_t v = 0; begin.empty() && v < model.stars.size(); ++v) {
    const Star& star = model.stars[v];
    for (std::size_t place = 0; place < star.places.size(); ++place)
      costs_[v].emplace_back(star.labels(place), kEndless);
  }
  allow_labels();
  count_bound();
}

// Labels that a strategy has cost nothing yet, others endlessly.
void Ascent::allow_labels() {
  for (const ModelNode& node : model_.nodes) {
    for (std::size_t s = 0; s < node.slots.size(); ++s) {
      std::vector<double>& costs = costs_[node.slots[s].star][node.slots[s].place];
      std::vector<char> is_left(costs.size(), 0);
      for (const ModelStrategy& strategy : node.strategies) is_left[strategy.labels[s]] = 1;
      for (std::size_t label = 0; label < costs.size(); ++label) {
        if (is_left[label] == 0) costs[label] = kEndless;
        if (is_left[label] != 0 && costs[label] == kEndless) costs[label] = 0;
      }
    }
  }
}

std::vector<double> Ascent::beliefs(std::size_t number) const {
  const ModelNode& node = model_.nodes[number];
  std::vector<double> beliefs;
  for (const ModelStrategy& strategy : node.strategies) {
    double belief = strategy.seconds;
    for (std::size_t s = 0; s < node.slots.size(); ++s)
      belief -= costs_[node.slots[s].star][node.slots[s].place][strategy.labels[s]];
    beliefs.push_back(belief);
  }
  return beliefs;
}

double Ascent::least_belief(std::size_t node) const { return least_in(beliefs(node)); }

void Ascent::collect(std::size_t number, std::vector<double>& beliefs) {
  const ModelNode& node = model_.nodes[number];
  for (std::size_t s = 0; s < node.slots.size(); ++s) {
    const Star& star = model_.stars[node.slots[s].star];
    if (star.readers() == 0) continue;
    StarCosts& costs = costs_[node.slots[s].star];
    const std::vector<double> least = least_by_label(star, query_of(star, costs), node.slots[s].place);
    std::vector<double>& own = costs[node.slots[s].place];
    for (std::size_t label = 0; label < own.size(); ++label) {
      if (own[label] != kEndless && least[label] != kEndless) own[label] -= least[label];
    }
    for (std::size_t x = 0; x < beliefs.size(); ++x) beliefs[x] += least[node.strategies[x].labels[s]];
  }
}

bool Ascent::lies_ahead(const ModelSlot& slot, std::size_t node, bool forward) const {
  return std::ranges::any_of(model_.stars[slot.star].places,
                             [&](const StarPlace& other) { return forward ? other.node > node : other.node < node; });
}

void Ascent::hand_on(std::size_t number, bool forward, const std::vector<double>& beliefs) {
  const ModelNode& node = model_.nodes[number];
  std::size_t ahead = 0;
  std::size_t behind = 0;
  for (const ModelSlot& slot : node.slots) {
    ahead += lies_ahead(slot, number, forward) ? 1 : 0;
    behind += lies_ahead(slot, number, !forward) ? 1 : 0;
  }
  if (ahead == 0) return;
  const double share = 1.0 / static_cast<double>(std::max(ahead, behind));
  for (std::size_t s = 0; s < node.slots.size(); ++s) {
    if (!lies_ahead(node.slots[s], number, forward)) continue;
    std::vector<double>& own = costs_[node.slots[s].star][node.slots[s].place];
    std::vector<double> least(own.size(), kEndless);
    for (std::size_t x = 0; x < beliefs.size(); ++x) {
      double& known = least[node.strategies[x].labels[s]];
      known = std::min(known, beliefs[x]);
    }
    for (std::size_t label = 0; label < own.size(); ++label) {
      if (own[label] != kEndless && least[label] != kEndless) own[label] += share * least[label];
    }
  }
}

void Ascent::visit(std::size_t number, bool forward) {
  base::look_for_stop();
  std::vector<double> own = beliefs(number);
  collect(number, own);
  const double least = least_in(own);
  reduced_[number] = own;
  for (double& reduced : reduced_[number]) reduced -= least;
  hand_on(number, forward, own);
}

void Ascent::count_bound() {
  double bound = 0;
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) bound += least_belief(n);
  for (std::size_t v = 0; v < model_.stars.size(); ++v) {
    const Star& star = model_.stars[v];
    bound += star.readers() == 0 ? least_in(costs_[v][0]) : least_of(star, query_of(star, costs_[v]));
  }
  bound_ = std::max(bound_, bound);
}

double Ascent::sweep() {
  bound_before_ = bound_;
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) visit(n, true);
  for (std::size_t n = model_.nodes.size(); n-- > 0;) visit(n, false);
  count_bound();
  return bound_;
}

double Ascent::run(std::size_t sweeps_most) {
  for (std::size_t i = 0; i < sweeps_most; ++i) {
    const double before = bound_;
    if (sweep() - before < kWorthASweep * bound_) break;
  }
  return bound_;
}

std::size_t Ascent::drop(double best) {
  std::size_t dropped = 0;
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
    std::vector<ModelStrategy>& own = model_.nodes[n].strategies;
    std::vector<ModelStrategy> left;
    for (std::size_t x = 0; x < own.size(); ++x) {
      const bool goes = x < reduced_[n].size() && bound_before_ + reduced_[n][x] > best * (1 + kRoundedApart);
      if (goes) ++dropped;
      if (!goes) left.push_back(std::move(own[x]));
    }
    own = std::move(left);
    reduced_[n].clear();
  }
  allow_labels();
  return dropped;
}

}  // namespace tessera::synth
