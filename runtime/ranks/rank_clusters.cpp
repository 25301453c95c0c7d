#include "runtime/ranks/rank_clusters.hpp"

#include <algorithm>
#include <limits>

namespace tessera::runtime {

namespace {

constexpr double kApart = 1.25;

// Do blocks of this size inside blocks of the other lie apart?
bool are_apart(const PairSeconds& seconds, std::int64_t size, std::int64_t outer) {
  double inside = 0;
  double across = std::numeric_limits<double>::infinity();
  for (std::int64_t a = 0; a < std::ssize(seconds); ++a) {
    for (std::int64_t b = a + 1; b < std::ssize(seconds) && b / outer == a / outer; ++b) {
      const double of_pair = seconds[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
      if (a / size == b / size)
        inside = std::max(inside, of_pair);
      else
        across = std::min(across, of_pair);
    }
  }
  return across > kApart * inside;
}

}  // namespace

std::vector<std::int64_t> cluster_sizes(const PairSeconds& seconds) {
  std::vector<std::int64_t> sizes;
  std::int64_t outer = std::ssize(seconds);
  for (std::int64_t size = outer - 1; size > 1; --size) {
    if (outer % size != 0 || !are_apart(seconds, size, outer)) continue;
    sizes.push_back(size);
    outer = size;
  }
  return sizes;
}

}  // namespace tessera::runtime
