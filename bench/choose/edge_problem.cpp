#include "bench/choose/edge_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace tessera::bench {

namespace {

using Rows = std::vector<std::vector<double>>;

// Reads as much of JSON as the problems are written in: objects, texts without escapes, and lists of numbers.
class EdgeReader {
 public:
  explicit EdgeReader(std::string_view text) : text_(text) {}

  ReadEdgeProblem run() {
    each_key([&](std::string_view key) { key == "problem" ? read_problem() : pass_over(); });
    skip_blanks();
    if (fault_.empty() && at_ != text_.size()) fail("something follows the problem");
    if (fault_.empty()) assemble();
    if (!fault_.empty()) return {{}, fault_};
    return {std::move(problem_), {}};
  }

 private:
  void read_problem() {
    each_key([&](std::string_view key) {
      if (key == "name")
        problem_.name = text();
      else if (key == "nodes")
        read_lists("nodes.");
      else if (key == "edges")
        read_lists("edges.");
      else if (key == "usage_limit")
        problem_.usage_limit = number();
      else
        pass_over();
    });
  }

  void read_lists(const std::string& prefix) {
    each_key([&](std::string_view key) { lists_[prefix + std::string(key)] = rows(); });
  }

  // ---- From lists to the problem ----

  void assemble() {
    const Rows& costs = lists_["nodes.costs"];
    const Rows& usages = lists_["nodes.usages"];
    const Rows& intervals = lists_["nodes.intervals"];
    if (costs.empty()) return fail("the problem has no nodes");
    if (usages.size() != costs.size() || intervals.size() != costs.size())
      return fail("nodes need one interval, one list of costs and one of usages each");
    for (std::size_t n = 0; n < costs.size(); ++n) {
      if (costs[n].empty() || usages[n].size() != costs[n].size() || intervals[n].size() != 2)
        return fail(fmt::format("node {} needs a cost and a usage for each strategy, and an interval of two ends", n));
      problem_.nodes.push_back({costs[n], usages[n], static_cast<std::int64_t>(intervals[n][0]),
                                static_cast<std::int64_t>(intervals[n][1])});
    }
    add_edges(lists_["edges.nodes"], lists_["edges.costs"]);
  }

  void add_edges(const Rows& ends, const Rows& costs) {
    if (ends.size() != costs.size()) return fail("edges need a list of costs each");
    const auto is_node = [&](double number) {
      return number >= 0 && number < static_cast<double>(problem_.nodes.size());
    };
    for (std::size_t e = 0; e < ends.size(); ++e) {
      if (ends[e].size() != 2 || !is_node(ends[e][0]) || !is_node(ends[e][1]))
        return fail(fmt::format("edge {} does not connect two nodes", e));
      NodeEdge edge{static_cast<std::size_t>(ends[e][0]), static_cast<std::size_t>(ends[e][1]), costs[e]};
      if (costs[e].size() != problem_.nodes[edge.first].costs.size() * problem_.nodes[edge.second].costs.size())
        return fail(fmt::format("edge {} needs a cost for each pair of strategies", e));
      problem_.edges.push_back(std::move(edge));
    }
  }

  // ---- JSON ----

  void fail(const std::string& why) {
    if (fault_.empty()) fault_ = why;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool takes(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!takes(c)) fail(fmt::format("`{}` is missing at byte {}", c, at_));
  }

  template <class F>
  void each_key(const F& f) {
    expect('{');
    while (fault_.empty() && !takes('}')) {
      const std::string key = text();
      expect(':');
      if (fault_.empty()) f(key);
      if (takes('}')) return;
      expect(',');
    }
  }
  template <class F>
  void each_item(const F& f) {
    expect('[');
    while (fault_.empty() && !takes(']')) {
      f();
      if (takes(']')) return;
      expect(',');
    }
  }

  std::string text() {
    expect('"');
    const std::size_t end = std::min(text_.find('"', at_), text_.size());
    std::string found(text_.substr(at_, end - at_));
    at_ = end;
    expect('"');
    return found;
  }
  double number() {
    skip_blanks();
    double found = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), found);
    if (error != std::errc{}) fail(fmt::format("a number is missing at byte {}", at_));
    at_ = static_cast<std::size_t>(end - text_.data());
    return found;
  }
  Rows rows() {
    Rows all;
    each_item([&] {
      std::vector<double>& row = all.emplace_back();
      each_item([&] { row.push_back(number()); });
    });
    return all;
  }

  void pass_over() {
    skip_blanks();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '{')
      each_key([&](std::string_view) { pass_over(); });
    else if (c == '[')
      each_item([&] { pass_over(); });
    else if (c == '"')
      text();
    else if (c >= 'a' && c <= 'z')
      at_ = std::min(text_.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at_), text_.size());
    else
      number();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string fault_;
  std::map<std::string, Rows> lists_;
  EdgeProblem problem_;
};

}  // namespace

ReadEdgeProblem read_edge_problem(std::string_view text) { return EdgeReader(text).run(); }

double cost_of(const EdgeProblem& problem, const std::vector<std::size_t>& strategies) {
  double cost = 0;
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) cost += problem.nodes[n].costs[strategies[n]];
  for (const NodeEdge& edge : problem.edges) {
    const std::size_t columns = problem.nodes[edge.second].costs.size();
    cost += edge.costs[strategies[edge.first] * columns + strategies[edge.second]];
  }
  return cost;
}

double peak_of(const EdgeProblem& problem, const std::vector<std::size_t>& strategies) {
  std::map<std::int64_t, double> changes;
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    const EdgeNode& node = problem.nodes[n];
    if (node.begin >= node.end) continue;
    changes[node.begin] += node.usages[strategies[n]];
    changes[node.end] -= node.usages[strategies[n]];
  }
  double now = 0;
  double most = 0;
  for (const auto& [moment, change] : changes) most = std::max(most, now += change);
  return most;
}

}  // namespace tessera::bench
