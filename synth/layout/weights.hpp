// The shares of a dimension that the positions along a mesh axis get: a list of weights, and its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::synth {

inline constexpr std::int64_t kWeightMax = std::int64_t{1} << 20;

// The weights of an axis' positions, in lowest terms: 4, 2 and 2 are 2, 1 and 1. So equal shares compare equal.
class Weights {
 public:
  // `positions` equal weights, at least one.
  static Weights even(std::int64_t positions);
  // Nothing without weights, or if one is below 1 or above kWeightMax.
  static std::optional<Weights> make(std::vector<std::int64_t> weights);

  std::int64_t positions() const { return static_cast<std::int64_t>(weights_.size()); }
  const std::vector<std::int64_t>& values() const { return weights_; }
  std::int64_t at(std::int64_t position) const { return weights_[static_cast<std::size_t>(position)]; }
  // The sum of the weights of the positions before this one.
  std::int64_t before(std::int64_t position) const { return before_[static_cast<std::size_t>(position)]; }
  std::int64_t sum() const { return sum_; }
  bool is_even() const { return sum_ == positions(); }

  friend bool operator==(const Weights& a, const Weights& b) { return a.weights_ == b.weights_; }

 private:
  explicit Weights(std::vector<std::int64_t> weights);

  std::vector<std::int64_t> weights_;
  std::vector<std::int64_t> before_;
  std::int64_t sum_;
};

// A way to deal an extent to an axis' positions that programs name: `work(2,1,1)`, used as in `f32[4096@d.work]`.
struct NamedCut {
  std::string name;
  Weights weights;
  friend bool operator==(const NamedCut&, const NamedCut&) = default;
};

}  // namespace tessera::synth
