#include "synth/layout/weights.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace tessera::synth {

Weights::Weights(std::vector<std::int64_t> weights) : weights_(std::move(weights)), sum_(0) {
  std::int64_t divisor = 0;
  for (const std::int64_t weight : weights_) divisor = std::gcd(divisor, weight);
  before_.reserve(weights_.size());
  for (std::int64_t& weight : weights_) {
    weight /= divisor;
    before_.push_back(sum_);
    sum_ += weight;
  }
}

Weights Weights::even(std::int64_t positions) {
  TESSERA_CHECK(positions >= 1, "an axis of no positions");
  return Weights(std::vector<std::int64_t>(static_cast<std::size_t>(positions), 1));
}

std::optional<Weights> Weights::make(std::vector<std::int64_t> weights) {
  const auto in_range = [](std::int64_t weight) { return weight >= 1 && weight <= kWeightMax; };
  if (weights.empty() || !std::all_of(weights.begin(), weights.end(), in_range)) return std::nullopt;
  return Weights(std::move(weights));
}

}  // namespace tessera::synth
