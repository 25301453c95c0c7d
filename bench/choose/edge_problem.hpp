// The problems of the IOPDDL contest: choosing a strategy for every node of a graph, where nodes and pairs of nodes
// have costs and the memory in use has a limit. Others publish them; here they measure our search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::bench {

struct EdgeNode {
  std::vector<double> costs;   // of every strategy
  std::vector<double> usages;  // of every strategy, from `begin` on and before `end`
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct NodeEdge {
  std::size_t first = 0;
  std::size_t second = 0;
  std::vector<double> costs;  // of the first node's strategy i and the second's j at i * (strategies of the second) + j
};

struct EdgeProblem {
  std::string name;
  std::vector<EdgeNode> nodes;
  std::vector<NodeEdge> edges;  // several may connect the same nodes
  double usage_limit = 0;       // of all nodes in any moment
};

struct ReadEdgeProblem {
  EdgeProblem problem;
  std::string fault;  // empty: none
};

// The contest's JSON: {"problem": {"name", "nodes": {"intervals": [[begin, end]..], "costs": [[..]..], "usages":
// [[..]..]}, "edges": {"nodes": [[first, second]..], "costs": [[..]..]}, "usage_limit"}}; other keys are passed over.
ReadEdgeProblem read_edge_problem(std::string_view text);

// Of a strategy for each node: what it costs, and the most that is in use at once.
double cost_of(const EdgeProblem& problem, const std::vector<std::size_t>& strategies);
double peak_of(const EdgeProblem& problem, const std::vector<std::size_t>& strategies);

}  // namespace tessera::bench
