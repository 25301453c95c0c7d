#include "bench/rank_correlation.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tessera::bench {

namespace {

std::vector<double> ranks_of(const std::vector<double>& figures) {
  std::vector<std::size_t> order(figures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return figures[a] < figures[b]; });
  std::vector<double> ranks(figures.size());
  for (std::size_t k = 0; k < order.size(); ++k) ranks[order[k]] = static_cast<double>(k);
  return ranks;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> ranks_a = ranks_of(a);
  const std::vector<double> ranks_b = ranks_of(b);
  const auto n = static_cast<double>(a.size());
  double squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) squares += (ranks_a[k] - ranks_b[k]) * (ranks_a[k] - ranks_b[k]);
  return n < 2 ? 1 : 1 - 6 * squares / (n * (n * n - 1));
}

}  // namespace tessera::bench
