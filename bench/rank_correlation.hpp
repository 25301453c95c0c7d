// How well one list of figures ranks what another one measures.
#pragma once

#include <vector>

namespace tessera::bench {

// Spearman's, of figures that are all different: 1 where both are in the same order.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tessera::bench
