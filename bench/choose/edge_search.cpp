#include "bench/choose/edge_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace tessera::bench {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
// Costs that forbid a pair: as large as leaves doubles exact enough for the others.
constexpr double kCostMax = 1e13;
constexpr double kClosed = 1e-9;

using Answer = std::vector<std::size_t>;

// An edge as one of its nodes sees it.
struct Incidence {
  std::size_t edge = 0;
  bool is_first = true;
};

// The moments that can be short of memory, each the beginning of a node's interval, and which of them a node covers.
class Moments {
 public:
  explicit Moments(const EdgeProblem& problem) {
    std::vector<std::int64_t> begins;
    for (const EdgeNode& node : problem.nodes) {
      if (node.begin < node.end) begins.push_back(node.begin);
    }
    std::ranges::sort(begins);
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    count_ = begins.size();
    for (const EdgeNode& node : problem.nodes) {
      const auto at = [&](std::int64_t moment) {
        return static_cast<std::size_t>(std::ranges::lower_bound(begins, moment) - begins.begin());
      };
      ranges_.emplace_back(at(node.begin), node.begin < node.end ? at(node.end) : at(node.begin));
    }
  }
  std::size_t count() const { return count_; }
  std::size_t first(std::size_t node) const { return ranges_[node].first; }
  std::size_t end(std::size_t node) const { return ranges_[node].second; }
  bool covers(std::size_t node, std::size_t moment) const { return first(node) <= moment && moment < end(node); }

 private:
  std::size_t count_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
};

// The problem with what every part of the search looks up.
struct EdgeGraph {
  explicit EdgeGraph(const EdgeProblem& given) : problem(given), moments(given), incident(given.nodes.size()) {
    for (std::size_t e = 0; e < given.edges.size(); ++e) {
      incident[given.edges[e].first].push_back({e, true});
      if (given.edges[e].second != given.edges[e].first) incident[given.edges[e].second].push_back({e, false});
      entries += static_cast<double>(given.edges[e].costs.size());
    }
  }
  std::size_t strategies(std::size_t node) const { return problem.nodes[node].costs.size(); }
  // Of an edge from a node to itself both ends have one strategy.
  bool is_loop(std::size_t edge) const { return problem.edges[edge].first == problem.edges[edge].second; }
  std::size_t other(const Incidence& one) const {
    return one.is_first ? problem.edges[one.edge].second : problem.edges[one.edge].first;
  }
  double cost(const Incidence& one, std::size_t own, std::size_t others) const {
    const NodeEdge& edge = problem.edges[one.edge];
    const std::size_t columns = strategies(edge.second);
    return std::min(kCostMax, edge.costs[one.is_first ? own * columns + others : others * columns + own]);
  }

  const EdgeProblem& problem;
  Moments moments;
  std::vector<std::vector<Incidence>> incident;
  double entries = 0;
};

// ---- The bound ----

class EdgeAscent {
 public:
  explicit EdgeAscent(const EdgeGraph& graph) : graph_(graph), prices_(graph.moments.count(), 0) {
    for (std::size_t n = 0; n < graph.problem.nodes.size(); ++n) {
      beliefs_.push_back(graph.problem.nodes[n].costs);
      for (double& cost : beliefs_.back()) cost = std::min(cost, kCostMax);
      for (const Incidence& one : graph.incident[n]) {
        for (std::size_t i = 0; graph.is_loop(one.edge) && i < beliefs_.back().size(); ++i)
          beliefs_.back()[i] += graph.cost(one, i, i);
      }
    }
    for (const NodeEdge& edge : graph.problem.edges) {
      given_.emplace_back(graph.strategies(edge.first), 0);
      given_.emplace_back(graph.strategies(edge.second), 0);
    }
  }

  void sweep() {
    for (std::size_t n = 0; n < beliefs_.size(); ++n) visit(n, true);
    for (std::size_t n = beliefs_.size(); n-- > 0;) visit(n, false);
  }

  double bound() const {
    double sum = 0;
    for (const std::vector<double>& own : beliefs_) sum += *std::ranges::min_element(own);
    for (std::size_t e = 0; e < graph_.problem.edges.size(); ++e) {
      if (graph_.is_loop(e)) continue;
      const std::vector<double> least = least_of({e, true});
      sum += *std::ranges::min_element(least);
    }
    for (const double price : prices_) sum -= price * graph_.problem.usage_limit;
    return sum;
  }

  // What an edge has given to a node's strategies.
  const std::vector<double>& given(const Incidence& one) const { return given_[2 * one.edge + (one.is_first ? 0 : 1)]; }
  // What a node's strategies cost, memory at its prices included.
  double priced(std::size_t node, std::size_t strategy) const {
    const EdgeNode& own = graph_.problem.nodes[node];
    return std::min(own.costs[strategy], kCostMax) + own.usages[strategy] * price_of(node);
  }
  const std::vector<double>& prices() const { return prices_; }

  void set_prices(std::vector<double> prices) {
    std::vector<double> before;
    for (std::size_t n = 0; n < beliefs_.size(); ++n) before.push_back(price_of(n));
    prices_ = std::move(prices);
    sums_.assign(prices_.size() + 1, 0);
    for (std::size_t m = 0; m < prices_.size(); ++m) sums_[m + 1] = sums_[m] + prices_[m];
    for (std::size_t n = 0; n < beliefs_.size(); ++n) {
      const double change = price_of(n) - before[n];
      for (std::size_t i = 0; i < beliefs_[n].size(); ++i) beliefs_[n][i] += graph_.problem.nodes[n].usages[i] * change;
    }
  }

 private:
  std::vector<double>& given(const Incidence& one) { return given_[2 * one.edge + (one.is_first ? 0 : 1)]; }
  double price_of(std::size_t node) const {
    if (sums_.empty()) return 0;
    return sums_[graph_.moments.end(node)] - sums_[graph_.moments.first(node)];
  }

  // The least of what an edge still has, for each strategy of one of its nodes.
  std::vector<double> least_of(const Incidence& one) const {
    const std::vector<double>& own = given(one);
    const std::vector<double>& others = given({one.edge, !one.is_first});
    std::vector<double> least(own.size(), kNone);
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t j = 0; j < others.size(); ++j) least[i] = std::min(least[i], graph_.cost(one, i, j) - others[j]);
      least[i] -= own[i];
    }
    return least;
  }

  // Takes what the edges of a node have, and hands equal shares on to those that lie ahead.
  void visit(std::size_t n, bool forward) {
    std::vector<double>& beliefs = beliefs_[n];
    std::size_t ahead = 0;
    std::size_t behind = 0;
    for (const Incidence& one : graph_.incident[n]) {
      if (graph_.is_loop(one.edge)) continue;
      ++((graph_.other(one) > n) == forward ? ahead : behind);
      const std::vector<double> least = least_of(one);
      std::vector<double>& own = given(one);
      for (std::size_t i = 0; i < own.size(); ++i) {
        own[i] += least[i];
        beliefs[i] += least[i];
      }
    }
    if (ahead == 0) return;
    std::vector<double> share = beliefs;
    for (double& one : share) one /= static_cast<double>(std::max(ahead, behind));
    for (const Incidence& one : graph_.incident[n]) {
      if (graph_.is_loop(one.edge) || (graph_.other(one) > n) != forward) continue;
      std::vector<double>& own = given(one);
      for (std::size_t i = 0; i < own.size(); ++i) {
        own[i] -= share[i];
        beliefs[i] -= share[i];
      }
    }
  }

  const EdgeGraph& graph_;
  std::vector<std::vector<double>> beliefs_;  // of every node
  std::vector<std::vector<double>> given_;    // of every edge, to its first and to its second node
  std::vector<double> prices_;                // of every moment
  std::vector<double> sums_;                  // of the prices before every moment
};

// ---- Answers ----

class EdgeAnswers {
 public:
  EdgeAnswers(const EdgeGraph& graph, std::uint64_t seed) : graph_(graph), dice_(seed) {}

  // Reads an answer off the ascent: node by node, by what was decided and what the other edges have given.
  Answer read(const EdgeAscent& ascent, bool forward) const {
    const std::size_t count = graph_.problem.nodes.size();
    Answer answer(count, 0);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t n = forward ? k : count - 1 - k;
      double least = kNone;
      for (std::size_t i = 0; i < graph_.strategies(n); ++i) {
        double cost = ascent.priced(n, i);
        for (const Incidence& one : graph_.incident[n]) {
          const std::size_t other = graph_.other(one);
          const bool is_decided = forward ? other < n : other > n;
          if (other == n)
            cost += graph_.cost(one, i, i);
          else
            cost += is_decided ? graph_.cost(one, i, answer[other]) : ascent.given(one)[i];
        }
        if (cost >= least) continue;
        least = cost;
        answer[n] = i;
      }
    }
    return answer;
  }

  std::vector<double> usage(const Answer& answer) const {
    std::vector<double> changes(graph_.moments.count() + 1, 0);
    for (std::size_t n = 0; n < answer.size(); ++n) {
      changes[graph_.moments.first(n)] += graph_.problem.nodes[n].usages[answer[n]];
      changes[graph_.moments.end(n)] -= graph_.problem.nodes[n].usages[answer[n]];
    }
    for (std::size_t m = 1; m < changes.size(); ++m) changes[m] += changes[m - 1];
    changes.pop_back();
    return changes;
  }

  // Takes from the moment that is shortest, one node after the other, where a byte costs least. Does it fit in the end?
  bool repair(Answer& answer) const {
    std::vector<double> used = usage(answer);
    for (std::size_t step = 0; step < 8 * answer.size() + 8; ++step) {
      const auto worst = std::ranges::max_element(used);
      if (worst == used.end() || *worst <= limit()) return true;
      const auto moment = static_cast<std::size_t>(worst - used.begin());
      if (!relieve(answer, used, moment)) return false;
    }
    return false;
  }

  // Changes single nodes as long as that helps, and keeps within the limit.
  void improve(Answer& answer) const {
    std::vector<double> used = usage(answer);
    for (bool is_better = true; is_better;) {
      is_better = false;
      for (std::size_t n = 0; n < answer.size(); ++n) is_better = improve_node(answer, used, n) || is_better;
    }
  }

  // Some nodes that lie together, at random.
  Answer shaken(const Answer& best) {
    Answer answer = best;
    std::size_t n = roll(answer.size());
    for (std::size_t k = 0; k < kShakenNodes; ++k) {
      answer[n] = roll(graph_.strategies(n));
      if (graph_.incident[n].empty()) break;
      n = graph_.other(graph_.incident[n][roll(graph_.incident[n].size())]);
    }
    return answer;
  }

 private:
  static constexpr std::size_t kShakenNodes = 6;
  double limit() const { return graph_.problem.usage_limit; }
  std::size_t roll(std::size_t sides) { return static_cast<std::size_t>(dice_() % sides); }

  double cost_at(const Answer& answer, std::size_t n, std::size_t i) const {
    double cost = std::min(graph_.problem.nodes[n].costs[i], kCostMax);
    for (const Incidence& one : graph_.incident[n]) {
      const std::size_t other = graph_.other(one);
      cost += graph_.cost(one, i, other == n ? i : answer[other]);
    }
    return cost;
  }

  void set(Answer& answer, std::vector<double>& used, std::size_t n, std::size_t i) const {
    const double change = graph_.problem.nodes[n].usages[i] - graph_.problem.nodes[n].usages[answer[n]];
    for (std::size_t m = graph_.moments.first(n); m < graph_.moments.end(n); ++m) used[m] += change;
    answer[n] = i;
  }

  bool relieve(Answer& answer, std::vector<double>& used, std::size_t moment) const {
    double dearest = kNone;
    std::pair<std::size_t, std::size_t> move;
    for (std::size_t n = 0; n < answer.size(); ++n) {
      if (!graph_.moments.covers(n, moment)) continue;
      const double own = cost_at(answer, n, answer[n]);
      for (std::size_t i = 0; i < graph_.strategies(n); ++i) {
        const double less = graph_.problem.nodes[n].usages[answer[n]] - graph_.problem.nodes[n].usages[i];
        if (less <= 0) continue;
        const double each = (cost_at(answer, n, i) - own) / std::min(less, used[moment] - limit());
        if (each >= dearest) continue;
        dearest = each;
        move = {n, i};
      }
    }
    if (dearest == kNone) return false;
    set(answer, used, move.first, move.second);
    return true;
  }

  bool improve_node(Answer& answer, std::vector<double>& used, std::size_t n) const {
    if (graph_.strategies(n) == 1) return false;
    const std::vector<double>& usages = graph_.problem.nodes[n].usages;
    double most = 0;  // in use beside this node
    for (std::size_t m = graph_.moments.first(n); m < graph_.moments.end(n); ++m)
      most = std::max(most, used[m] - usages[answer[n]]);
    double least = cost_at(answer, n, answer[n]);
    std::size_t best = answer[n];
    for (std::size_t i = 0; i < usages.size(); ++i) {
      const bool fits = most + usages[i] <= limit() || usages[i] <= usages[answer[n]] ||
                        graph_.moments.first(n) == graph_.moments.end(n);
      if (!fits) continue;
      const double cost = cost_at(answer, n, i);
      if (cost >= least - kClosed * std::abs(least)) continue;
      least = cost;
      best = i;
    }
    if (best == answer[n]) return false;
    set(answer, used, n, best);
    return true;
  }

  const EdgeGraph& graph_;
  std::mt19937_64 dice_;
};

class EdgeSearch {
 public:
  EdgeSearch(const EdgeProblem& problem, const EdgeSearchOptions& options)
      : graph_(problem), options_(options), ascent_(graph_), answers_(graph_, options.seed) {}

  EdgeAnswer run() {
    found_.bound = -kNone;
    double entries = 0;
    for (; found_.rounds < options_.rounds && entries < options_.entries && !is_closed(); ++found_.rounds) {
      for (std::size_t k = 0; k < options_.sweeps; ++k) ascent_.sweep();
      entries += 5 * graph_.entries * static_cast<double>(options_.sweeps);
      found_.bound = std::max(found_.bound, ascent_.bound());
      const Answer forward = answers_.read(ascent_, true);
      take(forward);
      take(answers_.read(ascent_, false));
      for (std::size_t k = 0; k < options_.shakes && !found_.strategies.empty(); ++k)
        take(answers_.shaken(found_.strategies));
      raise_prices(answers_.usage(forward));
    }
    if (!found_.strategies.empty()) found_.bound = std::min(found_.bound, found_.cost);
    return std::move(found_);
  }

 private:
  bool is_closed() const {
    return !found_.strategies.empty() && found_.cost - found_.bound <= kClosed * std::abs(found_.cost);
  }

  void take(Answer answer) {
    if (!answers_.repair(answer)) return;
    answers_.improve(answer);
    const double cost = cost_of(graph_.problem, answer);
    if (!found_.strategies.empty() && cost >= found_.cost) return;
    found_.cost = cost;
    found_.strategies = std::move(answer);
  }

  // A step along what the moments lack, as long as the distance of bound and answer says (Polyak).
  void raise_prices(const std::vector<double>& used) {
    double square = 0;
    for (std::size_t m = 0; m < used.size(); ++m) {
      const double lack = used[m] - graph_.problem.usage_limit;
      if (lack > 0 || ascent_.prices()[m] > 0) square += lack * lack;
    }
    if (square == 0) return;
    const double target = found_.strategies.empty() ? found_.bound + std::abs(found_.bound) * kReach + 1 : found_.cost;
    const double step = std::max(target - found_.bound, 0.0) / square;
    std::vector<double> prices = ascent_.prices();
    for (std::size_t m = 0; m < used.size(); ++m)
      prices[m] = std::max(0.0, prices[m] + step * (used[m] - graph_.problem.usage_limit));
    ascent_.set_prices(std::move(prices));
  }

  static constexpr double kReach = 0.05;
  EdgeGraph graph_;
  const EdgeSearchOptions& options_;
  EdgeAscent ascent_;
  EdgeAnswers answers_;
  EdgeAnswer found_;
};

}  // namespace

EdgeAnswer solve(const EdgeProblem& problem, const EdgeSearchOptions& options) {
  return EdgeSearch(problem, options).run();
}

}  // namespace tessera::bench
