#include "synth/choose/improve.hpp"

#include <set>

#include "base/stop_scope.hpp"

namespace tessera::synth {

namespace {

constexpr int kImprovingRoundsMax = 50;
constexpr double kBetter = 1 - 1e-12;

// The node and its stars.
double seconds_around(const Model& model, const Assignment& assignment, std::size_t n) {
  std::set<std::size_t> stars;
  for (const ModelSlot& slot : model.nodes[n].slots) stars.insert(slot.star);
  double seconds = model.nodes[n].strategies[assignment[n]].seconds;
  for (const std::size_t star : stars) seconds += seconds_of_star(model, assignment, star);
  return seconds;
}

bool improve_node(const Model& model, Assignment& assignment, std::size_t n) {
  const std::size_t before = assignment[n];
  std::size_t best = before;
  double least = seconds_around(model, assignment, n);
  for (std::size_t x = 0; x < model.nodes[n].strategies.size(); ++x) {
    if (x == before) continue;
    assignment[n] = x;
    const double seconds = seconds_around(model, assignment, n);
    if (seconds >= least * kBetter) continue;
    least = seconds;
    best = x;
  }
  assignment[n] = best;
  return best != before;
}

}  // namespace

void improve(const Model& model, Assignment& assignment) {
  for (int round = 0; round < kImprovingRoundsMax; ++round) {
    bool has_changed = false;
    for (std::size_t n = 0; n < model.nodes.size(); ++n) {
      base::look_for_stop();
      if (model.nodes[n].strategies.size() > 1) has_changed = improve_node(model, assignment, n) || has_changed;
    }
    if (!has_changed) return;
  }
}

}  // namespace tessera::synth
