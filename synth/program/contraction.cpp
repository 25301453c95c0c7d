#include "synth/program/contraction.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <limits>
#include <tuple>

namespace tessera::synth {

namespace {

constexpr std::size_t kIndices = 256;
constexpr std::size_t kSearched = 8;  // operands among which all orders are tried
constexpr std::size_t kPaired = 16;   // of more, those among which the cheapest pair is sought
using Indices = std::bitset<kIndices>;

// What is still to be multiplied: an operand, or a step's result.
struct Factor {
  std::size_t number;
  std::vector<std::uint8_t> own;  // an index for each dimension
  Indices indices;
};

Indices set_of(const std::vector<std::uint8_t>& list) {
  Indices all;
  for (const std::uint8_t index : list) all.set(index);
  return all;
}

// How a set of factors is multiplied best.
struct Best {
  double cost = std::numeric_limits<double>::infinity();
  double elements = 0;  // of all intermediates
  std::size_t first = 0;
};

class OrderSearch {
 public:
  OrderSearch(const Contract& contract, std::span<const Shape> operands)
      : result_(contract.result_indices), kept_(set_of(contract.result_indices)) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      factors_.push_back({k, contract.operand_indices[k], set_of(contract.operand_indices[k])});
      for (std::size_t d = 0; d < operands[k].size(); ++d) note(contract.operand_indices[k][d], operands[k][d]);
    }
    double all = elements(kept_);
    for (const Factor& factor : factors_) all += elements(factor.indices);
    constexpr double kAlwaysFine = 1 << 24;
    constexpr double kTimes = 8;
    elements_max_ = std::max(kAlwaysFine, kTimes * all);
  }

  std::vector<ContractionStep> steps() {
    const bool has_terms = std::none_of(factors_.begin(), factors_.end(),
                                        [&](const Factor& factor) { return elements(factor.indices) == 0; });
    if (factors_.size() < 2 || !has_terms) return {};
    sum_alone();
    if (factors_.size() == 2 && steps_.empty()) return {};
    while (factors_.size() > kSearched) {
      if (!multiply_cheapest_pair()) return {};
    }
    search();
    if (best_.back().cost == std::numeric_limits<double>::infinity()) return {};
    multiply(best_.size() - 1);
    return std::move(steps_);
  }

 private:
  void note(std::uint8_t index, std::int64_t extent) {
    extents_[index] = static_cast<double>(extent);
    used_ = std::max(used_, index + std::size_t{1});
  }
  double elements(const Indices& indices) const {
    double product = 1;
    for (std::size_t i = 0; i < used_; ++i) {
      if (indices[i]) product *= extents_[i];
    }
    return product;
  }
  bool is_fine(const Indices& indices) const {
    return indices.count() <= kRankMax && elements(indices) <= elements_max_;
  }

  Factor take(std::vector<const Factor*> factors, std::vector<std::uint8_t> result) {
    ContractionStep step;
    for (const Factor* factor : factors) {
      step.operands.push_back(factor->number);
      step.how.operand_indices.push_back(factor->own);
    }
    step.how.result_indices = result;
    steps_.push_back(std::move(step));
    return {operand_count_ + steps_.size() - 1, std::move(result), set_of(steps_.back().how.result_indices)};
  }

  void sum_alone() {
    operand_count_ = factors_.size();
    for (const Factor& factor : factors_) count(factor.indices, 1);
    for (Factor& factor : factors_) {
      const Indices rest = kept_by({&factor});
      if (rest == factor.indices) continue;
      count(factor.indices, -1);
      factor = take({&factor}, in_order({&factor}, rest));
      count(factor.indices, 1);
    }
  }
  void count(const Indices& indices, std::int64_t by) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (indices[i]) holders_[i] += by;
    }
  }
  // What the product of some factors has to keep: what the result wants, or a factor beside them.
  Indices kept_by(const std::vector<const Factor*>& factors) const {
    Indices kept;
    for (std::size_t i = 0; i < used_; ++i) {
      const auto inside = std::ranges::count_if(factors, [&](const Factor* factor) { return factor->indices[i]; });
      kept[i] = inside > 0 && (kept_[i] || holders_[i] > inside);
    }
    return kept;
  }

  // The wanted indices: first those that all factors have, then as they stand in one factor after the other.
  static std::vector<std::uint8_t> in_order(const std::vector<const Factor*>& factors, const Indices& wanted) {
    std::vector<std::uint8_t> order;
    const auto add = [&](std::uint8_t index) {
      if (wanted[index] && std::find(order.begin(), order.end(), index) == order.end()) order.push_back(index);
    };
    for (const std::uint8_t index : factors[0]->own) {
      if (factors.back()->indices[index]) add(index);
    }
    for (const Factor* factor : factors) std::ranges::for_each(factor->own, add);
    return order;
  }

  bool multiply_cheapest_pair() {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    std::tuple<double, double, std::size_t, std::size_t> least{kNone, 0, 0, 0};
    const std::size_t some = std::min(factors_.size(), kPaired);
    for (std::size_t a = 0; a < some; ++a) {
      for (std::size_t b = a + 1; b < some; ++b) {
        const Indices kept = kept_by({&factors_[a], &factors_[b]});
        if (!is_fine(kept)) continue;
        least = std::min(least, std::tuple{elements(factors_[a].indices | factors_[b].indices), elements(kept), a, b});
      }
    }
    const auto [cost, size, a, b] = least;
    if (cost == kNone) return false;
    const std::vector<const Factor*> pair = {&factors_[a], &factors_[b]};
    Factor product = take(pair, in_order(pair, kept_by(pair)));
    for (const Factor* factor : pair) count(factor->indices, -1);
    count(product.indices, 1);
    factors_[a] = std::move(product);
    factors_.erase(factors_.begin() + static_cast<std::ptrdiff_t>(b));
    return true;
  }

  // Sets of factors are numbers whose bits say who is in.
  void search() {
    const std::size_t sets = std::size_t{1} << factors_.size();
    best_.assign(sets, {});
    kept_of_.assign(sets, {});
    for (std::size_t set = 1; set < sets; ++set) {
      std::vector<const Factor*> chosen;
      for (std::size_t k = 0; k < factors_.size(); ++k) {
        if ((set >> k & 1U) != 0) chosen.push_back(&factors_[k]);
      }
      kept_of_[set] = kept_by(chosen);
      if ((set & (set - 1)) == 0) best_[set] = {0, 0, set};
    }
    for (std::size_t set = 1; set < sets; ++set) {
      if ((set & (set - 1)) != 0 && (set + 1 == sets || is_fine(kept_of_[set]))) search(set);
    }
  }
  void search(std::size_t set) {
    const std::size_t lowest = set & (~set + 1);
    const double own = set + 1 == best_.size() ? 0 : elements(kept_of_[set]);
    for (std::size_t first = (set - 1) & set; first != 0; first = (first - 1) & set) {
      if ((first & lowest) == 0) continue;
      const Best& a = best_[first];
      const Best& b = best_[set ^ first];
      const double cost = a.cost + b.cost + elements(kept_of_[first] | kept_of_[set ^ first]);
      const double size = a.elements + b.elements + own;
      if (std::tie(cost, size) < std::tie(best_[set].cost, best_[set].elements)) best_[set] = {cost, size, first};
    }
  }

  Factor multiply(std::size_t set) {
    if ((set & (set - 1)) == 0) {
      std::size_t k = 0;
      while ((set >> k & 1U) == 0) ++k;
      return factors_[k];
    }
    const Factor a = multiply(best_[set].first);
    const Factor b = multiply(set ^ best_[set].first);
    return take({&a, &b}, set + 1 == best_.size() ? result_ : in_order({&a, &b}, kept_of_[set]));
  }

  std::vector<std::uint8_t> result_;
  Indices kept_;
  std::array<double, kIndices> extents_{};
  std::size_t used_ = 0;  // indices below it
  std::vector<Factor> factors_;
  std::array<std::int64_t, kIndices> holders_{};  // factors that have an index
  double elements_max_ = 0;
  std::size_t operand_count_ = 0;
  std::vector<ContractionStep> steps_;
  std::vector<Best> best_;
  std::vector<Indices> kept_of_;
};

}  // namespace

std::vector<ContractionStep> contraction_steps(const Contract& contract, std::span<const Shape> operands) {
  return OrderSearch(contract, operands).steps();
}

}  // namespace tessera::synth
