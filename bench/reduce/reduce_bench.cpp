#include "bench/reduce/reduce_bench.hpp"

#include <fmt/format.h>

#include "bench/planner/reductions.hpp"

namespace tessera::bench {

void run(const ReduceBench& options) {
  const ReductionScores s = score_reductions();
  if (options.json) {
    fmt::print(
        R"({{"cases":{},"short_wins":{:.6f},"short_mean":{:.6f},"short_max":{:.6f},"placement_max":{:.6f},)"
        R"("bound_mean":{:.6f},"bound_max":{:.6f},"ring_mean":{:.6f},"ring_max":{:.6f},"slower_than_rival":{:.6f}}})"
        "\n",
        s.cases, s.short_wins, s.short_mean, s.short_most, s.placement_most, s.bound_mean, s.bound_most, s.ring_mean,
        s.ring_most, s.slower_than_rival);
    return;
  }
  fmt::print("{} reductions on 2 and 4 nodes of 16 (8, 270 GB/s) and of 8 (8, 135 GB/s)\n\n", s.cases);
  fmt::print("1 GB, no latency: up to five steps in one stretch, beside a single ring\n");
  fmt::print("  faster in {:.1f}%, {:.3f} times in the geometric mean of all, {:.3f} at most\n", 100 * s.short_wins,
             s.short_mean, s.short_most);
  fmt::print("  the worst matrix takes {:.0f} times as long as the best\n\n", s.placement_most);
  fmt::print("64 MiB, 5 us between nodes, 1 us inside: the best program\n");
  fmt::print("  of the bound {:.4f} in the mean, {:.4f} at most\n", s.bound_mean, s.bound_most);
  fmt::print("  a single ring takes {:.3f} times as long in the mean, {:.3f} at most\n", s.ring_mean, s.ring_most);
  fmt::print("  a rival is faster in {:.1f}%\n", 100 * s.slower_than_rival);
}

}  // namespace tessera::bench
