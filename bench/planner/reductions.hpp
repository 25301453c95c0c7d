// All reductions on two-level machines of 2 and 4 nodes of 16 (8 and 270 GB/s) and of 8 (8 and 135): every list of one
// to three axes, every set of them reduced, every matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/place/matrix.hpp"

namespace tessera::bench {

struct ReductionCase {
  synth::Machine machine;  // without latencies
  std::vector<std::int64_t> sizes;
  std::uint32_t reduced = 0;  // a bit for each axis
  synth::PlaceMatrix matrix;
};
std::vector<ReductionCase> all_reductions();

// Quotients of seconds over all cases.
struct ReductionScores {
  std::size_t cases = 0;
  // 1 GB, no latency: a single ring over the best short program.
  double short_wins = 0;  // share of the cases in which it is faster
  double short_mean = 0;  // geometric
  double short_most = 0;
  double placement_most = 0;  // the short program's seconds under the worst matrix over those under the best
  // 64 MiB, 5 us between nodes and 1 us inside: ours.
  double bound_mean = 0;  // over the bound
  double bound_most = 0;
  double ring_mean = 0;  // a single ring over ours
  double ring_most = 0;
  double slower_than_rival = 0;  // share of the cases in which any rival is faster than ours
};
ReductionScores score_reductions();

}  // namespace tessera::bench
