// A search for the problems of the IOPDDL contest, with a bound: the ascent of docs/automatic.md on edges in place of
// stars, and prices on the moments in which memory is short.
//
// Costs move between nodes and edges without any answer's total changing; the sum of the least costs of all nodes and
// edges, less what the limit would cost if it were used up, is a bound for every answer that keeps within the limit.
// Answers are read off the moved costs, made to fit, and changed node by node as long as that helps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/choose/edge_problem.hpp"

namespace tessera::bench {

struct EdgeSearchOptions {
  std::size_t rounds = 60;  // of sweeps, an answer, and new prices
  std::size_t sweeps = 10;  // there and back, in each round
  std::size_t shakes = 20;  // of the best answer, in each round
  double entries = 3e10;    // of cost tables that sweeps look at in all: the size of the problem counts
  std::uint64_t seed = 1;
};

struct EdgeAnswer {
  std::vector<std::size_t> strategies;  // empty: no answer was found that keeps within the limit
  double cost = 0;
  double bound = 0;  // no answer costs less
  std::size_t rounds = 0;
};

EdgeAnswer solve(const EdgeProblem& problem, const EdgeSearchOptions& options = {});

}  // namespace tessera::bench
