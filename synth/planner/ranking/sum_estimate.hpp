// Private to synth: about what a pending sum takes under a matrix, without a plan: to order many matrices by.
//
// Either whole tiles are summed, or each device that holds the same as others sums a part of its tile, and what the
// target does not want cut is gathered again, from everybody in one step.
//
// Example: dp:16,tp:4 on four nodes of 16. 1 GB summed over dp while devices along tp hold the same: a quarter of it is
// summed over dp, and three quarters are gathered from the three others along tp.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/place_matrix.hpp"
#include "synth/moves/reduce/levels.hpp"
#include "synth/moves/reduce/search.hpp"

namespace tessera::synth {

class SumEstimate {
 public:
  // Both outlive this.
  SumEstimate(const RunMachine& machine, const Mesh& mesh) : machine_(machine), cluster_(machine), mesh_(mesh) {}

  // Seconds; 0 where there is no sum, or where an axis that is summed over does not lie on the levels as the matrix
  // says.
  double of(const PlaceMatrix& matrix, const ArrayType& from, const ArrayType& to);

 private:
  // Factors and levels, the bytes of a member, and the goal: many matrices lay an axis on the levels alike.
  using Key = std::tuple<std::vector<std::pair<std::int64_t, std::size_t>>, double, ReduceGoal>;

  double of_sum(const ReduceLevels& levels, double bytes, ReduceGoal goal);
  double search(const ReduceLevels& levels, double bytes, ReduceGoal goal);
  double of_gather(const ReduceLevels& levels, double bytes) const;

  const RunMachine& machine_;
  Cluster cluster_;
  const Mesh& mesh_;
  ReduceGraphs graphs_;
  std::map<Key, double> known_;
};

}  // namespace tessera::synth
