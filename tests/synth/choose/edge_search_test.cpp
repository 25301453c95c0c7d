// The search for problems of the IOPDDL contest beside trying everything, and the reader of their files.
#include "bench/choose/edge_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace tessera::bench {
namespace {

using EdgeDice = std::mt19937_64;

std::vector<double> numbers(EdgeDice& dice, std::size_t count, std::size_t most) {
  std::vector<double> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(static_cast<double>(dice() % most));
  return all;
}

// A tree, or a graph with cycles and several edges between some nodes.
EdgeProblem random_edge_problem(EdgeDice& dice, std::size_t nodes, bool is_tree) {
  EdgeProblem problem;
  for (std::size_t n = 0; n < nodes; ++n) {
    const std::size_t strategies = 1 + dice() % 4;
    const auto begin = static_cast<std::int64_t>(dice() % 10);
    problem.nodes.push_back({numbers(dice, strategies, 50), numbers(dice, strategies, 20), begin,
                             begin + static_cast<std::int64_t>(dice() % 6)});
  }
  const auto connect = [&](std::size_t a, std::size_t b) {
    if (dice() % 2 == 0) std::swap(a, b);
    problem.edges.push_back({a, b, numbers(dice, problem.nodes[a].costs.size() * problem.nodes[b].costs.size(), 40)});
  };
  for (std::size_t n = 1; n < nodes; ++n) connect(n, dice() % n);
  for (std::size_t k = 0; !is_tree && k < nodes; ++k) connect(dice() % nodes, dice() % nodes);
  problem.usage_limit = std::numeric_limits<double>::max();
  return problem;
}

double least_cost(const EdgeProblem& problem) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> at(problem.nodes.size(), 0);
  while (true) {
    if (peak_of(problem, at) <= problem.usage_limit) least = std::min(least, cost_of(problem, at));
    std::size_t n = 0;
    while (n < at.size() && ++at[n] == problem.nodes[n].costs.size()) at[n++] = 0;
    if (n == at.size()) return least;
  }
}

TEST(EdgeSearch, ProvesTheBestAnswerOfTrees) {
  EdgeDice dice(1);
  for (int i = 0; i < 60; ++i) {
    const EdgeProblem problem = random_edge_problem(dice, 1 + dice() % 7, true);
    const EdgeAnswer answer = solve(problem);
    const double least = least_cost(problem);
    EXPECT_NEAR(answer.cost, least, 1e-6);
    EXPECT_NEAR(answer.bound, least, 1e-5 * (least + 1));
    EXPECT_EQ(cost_of(problem, answer.strategies), answer.cost);
  }
}

// The limit lies between the least and the most that answers need: sometimes nothing fits.
TEST(EdgeSearch, KeepsBoundsAndLimitsOfAnyProblem) {
  EdgeDice dice(2);
  std::size_t fitting = 0;
  std::size_t found = 0;
  std::size_t best = 0;
  for (int i = 0; i < 150; ++i) {
    EdgeProblem problem = random_edge_problem(dice, 2 + dice() % 6, false);
    const std::vector<std::size_t> any(problem.nodes.size(), 0);
    problem.usage_limit = peak_of(problem, any) * (0.6 + 0.1 * static_cast<double>(dice() % 8));
    const double least = least_cost(problem);
    const EdgeAnswer answer = solve(problem);
    if (least != std::numeric_limits<double>::infinity()) ++fitting;
    if (answer.strategies.empty()) continue;
    ++found;
    ASSERT_LE(peak_of(problem, answer.strategies), problem.usage_limit) << i;
    ASSERT_NEAR(cost_of(problem, answer.strategies), answer.cost, 1e-9) << i;
    ASSERT_GE(answer.cost, least - 1e-9) << i;
    ASSERT_LE(answer.bound, least * (1 + 1e-9) + 1e-9) << i;
    best += answer.cost <= least + 1e-9 ? 1 : 0;
  }
  EXPECT_GT(fitting, 100U);
  EXPECT_GE(20 * found, 19 * fitting);
  EXPECT_GE(20 * best, 19 * found);
}

std::string file_of(const EdgeProblem& problem) {
  std::vector<std::string> intervals, costs, usages, ends, edges;
  for (const EdgeNode& node : problem.nodes) {
    intervals.push_back(fmt::format("[{}, {}]", node.begin, node.end));
    costs.push_back(fmt::format("[{}]", fmt::join(node.costs, ", ")));
    usages.push_back(fmt::format("[{}]", fmt::join(node.usages, ",")));
  }
  for (const NodeEdge& edge : problem.edges) {
    ends.push_back(fmt::format("[{},{}]", edge.first, edge.second));
    edges.push_back(fmt::format("[{}]", fmt::join(edge.costs, ", ")));
  }
  return fmt::format(
      "{{\"problem\": {{\"name\": \"p\", \"more\": [true, {{\"a\": null}}], \"nodes\": {{\"intervals\": [{}],\n"
      "\"costs\": [{}], \"usages\": [{}]}}, \"edges\": {{\"nodes\": [{}], \"costs\": [{}]}}, \"usage_limit\": {}}}}}\n",
      fmt::join(intervals, ", "), fmt::join(costs, ", "), fmt::join(usages, ", "), fmt::join(ends, ", "),
      fmt::join(edges, ", "), problem.usage_limit);
}

TEST(EdgeProblems, AreReadAsTheyAreWritten) {
  EdgeDice dice(3);
  for (int i = 0; i < 40; ++i) {
    EdgeProblem problem = random_edge_problem(dice, 1 + dice() % 6, i % 2 == 0);
    problem.usage_limit = static_cast<double>(dice() % 1000);
    const std::string text = file_of(problem);
    const ReadEdgeProblem read = read_edge_problem(text);
    ASSERT_EQ(read.fault, "") << text;
    EXPECT_EQ(file_of(read.problem), text);
    EXPECT_EQ(read.problem.name, "p");
    // A file that ends too early, or has a byte that does not belong there, has a fault; none is a crash.
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      EXPECT_NE(read_edge_problem(text.substr(0, at)).fault, "") << at;
      std::string other = text;
      other[at] = '~';
      read_edge_problem(other);
    }
  }
}

TEST(EdgeProblems, SayWhatIsWrong) {
  const std::string nodes = R"({"problem": {"nodes": {"intervals": [[0, 1]], "costs": [[1, 2]], "usages": [[1, 1]]}, )";
  EXPECT_EQ(read_edge_problem("{}").fault, "the problem has no nodes");
  EXPECT_EQ(read_edge_problem(R"({"problem": {"nodes": {"costs": [[1]]}}})").fault,
            "nodes need one interval, one list of costs and one of usages each");
  EXPECT_EQ(read_edge_problem(nodes + R"("edges": {"nodes": [[0, 1]], "costs": [[1]]}}})").fault,
            "edge 0 does not connect two nodes");
  EXPECT_EQ(read_edge_problem(nodes + R"("edges": {"nodes": [[0, 0]], "costs": [[1]]}}})").fault,
            "edge 0 needs a cost for each pair of strategies");
  EXPECT_EQ(read_edge_problem(nodes + R"("usage_limit": x}})").fault.substr(0, 27), "a number is missing at byte");
}

}  // namespace
}  // namespace tessera::bench
