#include "synth/choose/search.hpp"

#include <algorithm>
#include <utility>

#include "synth/choose/ascent.hpp"
#include "synth/choose/branch.hpp"
#include "synth/choose/eliminate.hpp"
#include "synth/choose/improve.hpp"
#include "synth/choose/walk.hpp"

namespace tessera::synth {

namespace {

// The bound has reached a program that takes no more than this beyond it; among many strategies less is not worth a
// search.
constexpr double kClosed = 1e-9;
constexpr double kClosedOfMany = 1e-6;
constexpr std::size_t kManyStrategies = 2'000;
constexpr double kFirstGuess = 1e-4;
constexpr std::size_t kNarrowBeam = 10;

class LayoutSearch {
 public:
  LayoutSearch(Model& model, const ChooseOptions& options, SearchStart& begin)
      : model_(model), options_(options), begin_(begin), ascent_(model, begin.costs) {}

  void run() {
    ascent_.run(options_.sweeps);
    begin_.costs = ascent_.costs();
    if (!begin_.best.empty()) take(begin_.best);
    search();
    begin_.best = numbers();
  }

  Searched take() { return {std::move(best_), bound_, proof_}; }

 private:
  void search() {
    start(kNarrowBeam);
    if (!is_closed()) start(options_.beam);
    fix();
    if (is_closed()) return end(ChoiceProof::ascent);
    if (by_elimination()) return end(ChoiceProof::elimination);
    if (by_walk()) return end(ChoiceProof::walk);
    by_branching();
  }

  bool is_closed() const { return seconds_ - ascent_.bound() <= closed_ * seconds_; }
  void end(ChoiceProof proof) {
    proof_ = proof;
    bound_ =
        proof == ChoiceProof::limit || proof == ChoiceProof::ascent ? std::min(ascent_.bound(), seconds_) : seconds_;
  }

  void take(Assignment found) {
    improve(model_, found);
    const double seconds = seconds_of(model_, found);
    if (seconds >= seconds_) return;
    seconds_ = seconds;
    best_ = std::move(found);
  }

  void start(std::size_t beam) {
    WalkResult found = walk(model_, ascent_, {kEndless, beam, false, static_cast<std::size_t>(-1)});
    if (found.end == WalkEnd::found) take(std::move(found.best));
  }

  // Of the best program's strategies.
  std::vector<std::size_t> numbers() const {
    std::vector<std::size_t> all;
    for (std::size_t n = 0; n < best_.size(); ++n) all.push_back(model_.nodes[n].strategies[best_[n]].number);
    return all;
  }

  // Strategies that no better program has go, and the ascent goes on with what is left.
  void fix() {
    while (!is_closed()) {
      const std::vector<std::size_t> own = numbers();
      const std::size_t dropped = ascent_.drop(seconds_);
      for (std::size_t n = 0; n < best_.size(); ++n) {
        const auto& left = model_.nodes[n].strategies;
        best_[n] = static_cast<std::size_t>(std::ranges::find(left, own[n], &ModelStrategy::number) - left.begin());
      }
      if (dropped == 0) return;
      ascent_.run(options_.sweeps);
      start(kNarrowBeam);
    }
  }

  bool by_elimination() {
    Eliminated found = eliminate(model_, ascent_, {seconds_ * (1 + kClosed), options_.elimination_entries});
    if (found.best) take(std::move(*found.best));
    return found.is_complete;
  }

  bool by_walk() {
    WalkLimits limits{kEndless, options_.walk_states, true, options_.walk_states};
    for (double guess = kFirstGuess;; guess *= 2) {
      limits.seconds = std::min(ascent_.bound() * (1 + guess), seconds_ * (1 + kClosed));
      WalkResult found = walk(model_, ascent_, limits);
      if (found.end == WalkEnd::too_many) return false;
      const bool is_all = found.end == WalkEnd::found || limits.seconds >= seconds_;
      if (found.end == WalkEnd::found) take(std::move(found.best));
      if (is_all) return true;
    }
  }

  void by_branching() {
    Branched found = branch(model_, ascent_, {seconds_, options_.halves});
    if (found.best) take(std::move(*found.best));
    bound_ = std::min(found.bound, seconds_);
    proof_ = seconds_ - bound_ <= closed_ * seconds_ ? ChoiceProof::branching : ChoiceProof::limit;
  }

  Model& model_;
  const ChooseOptions& options_;
  SearchStart& begin_;
  Ascent ascent_;
  double closed_ = model_.strategies > kManyStrategies ? kClosedOfMany : kClosed;
  Assignment best_;
  double seconds_ = kEndless;
  double bound_ = 0;
  ChoiceProof proof_ = ChoiceProof::limit;
};

}  // namespace

Searched search(Model& model, const ChooseOptions& options, SearchStart* start) {
  SearchStart none;
  LayoutSearch layouts(model, options, start == nullptr ? none : *start);
  layouts.run();
  return layouts.take();
}

}  // namespace tessera::synth
