// Private to synth: a lower bound of the best program, which only rises (sequential tree-reweighted message passing).
//
// Costs move between nodes and stars without any program's total changing. In program order and back, a node takes from
// each of its stars what the labels there cost at least, and hands equal shares of what it then has on to the stars
// that lie ahead. The sum of the least costs of all nodes and stars is a bound for every program; what a strategy costs
// above its node's least is its reduced cost: a program that has it takes the bound and that at least.
#pragma once

#include <cstddef>
#include <vector>

#include "synth/choose/model.hpp"

namespace tessera::synth {

class Ascent {
 public:
  // The model outlives this. Where another ascent on the same stars has ended, at other costs maybe, this one may
  // begin: every such beginning is right, and one from costs that are nearly the same is nearly there.
  explicit Ascent(Model& model, const std::vector<StarCosts>& begin = {});

  // Goes forth and back once. Gives the bound.
  double sweep();
  // Sweeps until one adds less than a part in 1e9, or so many times.
  double run(std::size_t sweeps_most);
  double bound() const { return bound_; }

  // Drops the strategies whose reduced cost shows that no program with them is better than `best`. How many were
  // dropped.
  std::size_t drop(double best);

  // The least costs of the labels of a star's places: what the walk and the elimination go by.
  const StarCosts& costs(std::size_t star) const { return costs_[star]; }
  const std::vector<StarCosts>& costs() const { return costs_; }
  // Of a node's strategies what they cost beyond what they have handed on.
  std::vector<double> beliefs(std::size_t node) const;
  double least_belief(std::size_t node) const;

 private:
  void visit(std::size_t node, bool forward);
  void collect(std::size_t node, std::vector<double>& beliefs);
  void hand_on(std::size_t node, bool forward, const std::vector<double>& beliefs);
  bool lies_ahead(const ModelSlot& slot, std::size_t node, bool forward) const;
  void count_bound();
  void allow_labels();

  Model& model_;
  std::vector<StarCosts> costs_;              // of every star, place and label
  std::vector<std::vector<double>> reduced_;  // of every node and strategy, when it was last visited
  double bound_before_ = 0;                   // the last sweep: reduced costs are above a bound of during it
  double bound_ = 0;
};

}  // namespace tessera::synth
