#include "typeck/layouts/refining.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace tessera::typeck {

namespace {

using synth::ChoiceNode;
using synth::ChoiceUse;

constexpr std::size_t kRoundsMax = 100;

class Refining {
 public:
  Refining(const synth::ChoiceProblem& problem, const std::vector<std::size_t>& makers,
           const std::vector<NodeColor>& colors)
      : problem_(problem), makers_(makers), given_(colors), readers_(problem.values.size()) {
    for (const NodeColor& own : colors) colors_.push_back(own.color);
    for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
      for (std::size_t u = 0; u < problem.nodes[n].uses.size(); ++u)
        readers_[problem.nodes[n].uses[u].value.value].push_back({n, u});
    }
  }

  std::vector<std::size_t> run() {
    std::size_t known = 0;
    for (std::size_t round = 0; round < kRoundsMax; ++round) {
      const std::size_t now = refine();
      if (now == known) return std::move(colors_);
      known = now;
    }
    std::iota(colors_.begin(), colors_.end(), std::size_t{0});
    std::map<std::size_t, std::size_t> first;
    for (std::size_t n = 0; n < colors_.size(); ++n) {
      if (!given_[n].is_free) colors_[n] = first.try_emplace(given_[n].color, n).first->second;
    }
    return std::move(colors_);
  }

 private:
  using Signature = std::vector<std::size_t>;
  struct Reader {
    std::size_t node = 0;
    std::size_t use = 0;
  };

  // Gives every node a color anew, and returns how many there are.
  std::size_t refine() {
    std::map<Signature, std::size_t> numbers;
    std::vector<std::size_t> next;
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n)
      next.push_back(numbers.try_emplace(signature(n), numbers.size()).first->second);
    colors_ = std::move(next);
    return numbers.size();
  }

  Signature signature(std::size_t n) const {
    const ChoiceNode& node = problem_.nodes[n];
    Signature all{colors_[n]};
    if (!given_[n].is_free) return all;
    all.push_back(std::bit_cast<std::uint64_t>(node.executions));
    std::vector<Signature> uses;
    for (const ChoiceUse& use : node.uses) uses.push_back(signature(use));
    if (!node.operation) std::ranges::sort(uses);  // a join's uses are all alike
    for (const Signature& use : uses) all.insert(all.end(), use.begin(), use.end());
    if (node.result) add_readers(all, node.result->value, true);
    return all;
  }
  // Who else reads a value of nodes that are not refined is not in these nodes' colors.
  Signature signature(const ChoiceUse& use) const {
    const std::size_t maker = makers_[use.value.value];
    Signature all{colors_[maker], std::bit_cast<std::uint64_t>(use.executions.value_or(-1))};
    if (!given_[maker].is_free) add_readers(all, use.value.value, false);
    return all;
  }
  void add_readers(Signature& all, std::size_t value, bool takes_all) const {
    std::vector<std::pair<std::size_t, std::size_t>> readers;
    for (const Reader& own : readers_[value]) {
      if (takes_all || given_[own.node].is_free)
        readers.emplace_back(colors_[own.node], problem_.nodes[own.node].operation ? own.use : 0);
    }
    std::ranges::sort(readers);
    all.push_back(readers.size());
    for (const auto& [color, use] : readers) {
      all.push_back(color);
      all.push_back(use);
    }
  }

  const synth::ChoiceProblem& problem_;
  const std::vector<std::size_t>& makers_;
  const std::vector<NodeColor>& given_;
  std::vector<std::vector<Reader>> readers_;  // of every value
  std::vector<std::size_t> colors_;           // of every node
};

}  // namespace

std::vector<std::size_t> refined_colors(const synth::ChoiceProblem& problem, const std::vector<std::size_t>& makers,
                                        const std::vector<NodeColor>& colors) {
  return Refining(problem, makers, colors).run();
}

}  // namespace tessera::typeck
