#include "synth/choose/branch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/stop_scope.hpp"
#include "synth/choose/improve.hpp"
#include "synth/choose/walk.hpp"

namespace tessera::synth {

namespace {

// A half is closed by a bound that is no further than this from the best program.
constexpr double kHalfClosed = 1e-9;
// A sweep that adds less than this share of what is open is the last.
constexpr double kWorthASweepOfHalf = 0.01;
constexpr std::size_t kBeamOfHalf = 10;

using StrategyNumbers = std::vector<std::vector<std::uint32_t>>;  // of every node those that are left

// A part of the model's programs.
struct Half {
  double bound = 0;
  StrategyNumbers left;
  std::vector<StarCosts> costs;  // where an ascent of more programs ended
};

class Branching {
 public:
  Branching(Model& model, const BranchLimits& limits) : model_(model), limits_(limits), seconds_(limits.seconds) {
    for (const ModelNode& node : model.nodes) all_.push_back(node.strategies);
  }

  Branched run(const Ascent& ascent) {
    halves_.push_back({ascent.bound(), numbers_left(), ascent.costs()});
    for (std::size_t k = 0; k < limits_.halves && !halves_.empty(); ++k) {
      // Of equal bounds the last: it is the deepest.
      std::ranges::stable_sort(halves_, [](const Half& a, const Half& b) { return a.bound > b.bound; });
      const Half half = std::move(halves_.back());
      halves_.pop_back();
      if (!is_closed(half.bound)) cut(half);
    }
    Branched found{seconds_, std::nullopt};
    for (const Half& half : halves_) found.bound = std::min(found.bound, half.bound);
    restore();
    if (!best_.empty()) found.best = numbered(best_);
    return found;
  }

 private:
  bool is_closed(double bound) const { return seconds_ - bound <= kHalfClosed * seconds_; }

  // ---- Strategies

  StrategyNumbers numbers_left() const {
    StrategyNumbers all(model_.nodes.size());
    for (std::size_t n = 0; n < all.size(); ++n) {
      for (const ModelStrategy& own : model_.nodes[n].strategies)
        all[n].push_back(static_cast<std::uint32_t>(own.number));
    }
    return all;
  }
  void keep(const StrategyNumbers& left) {
    for (std::size_t n = 0; n < left.size(); ++n) {
      std::vector<ModelStrategy> own;
      for (const ModelStrategy& strategy : all_[n]) {
        if (std::ranges::binary_search(left[n], strategy.number)) own.push_back(strategy);
      }
      model_.nodes[n].strategies = std::move(own);
    }
  }
  void restore() {
    for (std::size_t n = 0; n < all_.size(); ++n) model_.nodes[n].strategies = all_[n];
  }
  Assignment numbered(const std::vector<std::size_t>& numbers) const {
    Assignment found;
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      const auto at = std::ranges::find(all_[n], numbers[n], &ModelStrategy::number);
      found.push_back(static_cast<std::size_t>(at - all_[n].begin()));
    }
    return found;
  }

  // ---- One half

  void cut(const Half& half) {
    base::look_for_stop();
    keep(half.left);
    Ascent ascent(model_, half.costs);
    if (!raise(ascent)) return;
    Assignment program = by_beam(ascent);
    if (program.empty() || is_closed(ascent.bound())) return;
    WalkLimits limits{seconds_ * (1 - kHalfClosed), limits_.states, true, limits_.states};
    WalkResult walked = walk(model_, ascent, limits);
    if (walked.end == WalkEnd::found) take(std::move(walked.best));
    if (walked.end != WalkEnd::too_many) return;
    split(ascent, program);
  }

  // Sweeps, and drops what no better program has. Is anything left?
  bool raise(Ascent& ascent) {
    do {
      for (std::size_t sweep = 0; sweep < limits_.sweeps; ++sweep) {
        const double before = ascent.bound();
        const double open = seconds_ - ascent.sweep();
        if (is_closed(ascent.bound())) return false;
        if (ascent.bound() - before < kWorthASweepOfHalf * open) break;
      }
    } while (ascent.drop(seconds_) > 0);
    return true;
  }

  Assignment by_beam(const Ascent& ascent) {
    WalkResult found = walk(model_, ascent, {kEndless, kBeamOfHalf, false, static_cast<std::size_t>(-1)});
    if (found.end != WalkEnd::found) return {};
    take(found.best);
    return std::move(found.best);
  }

  void take(Assignment found) {
    improve(model_, found);
    const double seconds = seconds_of(model_, found);
    if (seconds >= seconds_) return;
    seconds_ = seconds;
    best_.clear();
    for (std::size_t n = 0; n < found.size(); ++n) best_.push_back(model_.nodes[n].strategies[found[n]].number);
  }

  // ---- Where to cut

  std::uint32_t label(const Assignment& program, const StarPlace& place) const {
    return model_.nodes[place.node].strategies[program[place.node]].labels[place.slot];
  }
  double above_least(const Ascent& ascent, const Assignment& program, std::size_t v) const {
    const Star& star = model_.stars[v];
    if (star.readers() == 0) return 0;
    double cost = seconds_of_star(model_, program, v);
    for (std::size_t place = 0; place < star.places.size(); ++place)
      cost += ascent.costs(v)[place][label(program, star.places[place])];
    return cost - least_of(star, query_of(star, ascent.costs(v)));
  }
  bool has_another(const StarPlace& place, std::uint32_t label) const {
    return std::ranges::any_of(model_.nodes[place.node].strategies,
                               [&](const ModelStrategy& own) { return own.labels[place.slot] != label; });
  }

  void split(const Ascent& ascent, const Assignment& program) {
    double most = -1;
    std::optional<StarPlace> at;
    for (std::size_t v = 0; v < model_.stars.size(); ++v) {
      const double above = above_least(ascent, program, v);
      if (above <= most) continue;
      const auto place = std::ranges::find_if(
          model_.stars[v].places, [&](const StarPlace& own) { return has_another(own, label(program, own)); });
      if (place == model_.stars[v].places.end()) continue;
      most = above;
      at = *place;
    }
    if (!at) return;  // one program is left, and it is known
    const std::uint32_t own = label(program, *at);
    Half others{ascent.bound(), numbers_left(), ascent.costs()};
    Half same = others;
    const auto is_other = [&](const ModelStrategy& strategy) { return strategy.labels[at->slot] != own; };
    same.left[at->node].clear();
    others.left[at->node].clear();
    for (const ModelStrategy& strategy : model_.nodes[at->node].strategies)
      (is_other(strategy) ? others : same).left[at->node].push_back(static_cast<std::uint32_t>(strategy.number));
    halves_.push_back(std::move(others));
    halves_.push_back(std::move(same));
  }

  Model& model_;
  const BranchLimits& limits_;
  std::vector<std::vector<ModelStrategy>> all_;  // of every node
  std::vector<Half> halves_;
  std::vector<std::size_t> best_;  // the numbers of its strategies
  double seconds_;
};

}  // namespace

Branched branch(Model& model, const Ascent& ascent, const BranchLimits& limits) {
  return Branching(model, limits).run(ascent);
}

}  // namespace tessera::synth
