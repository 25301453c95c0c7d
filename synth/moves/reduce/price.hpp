// The cost of a reduction program on a machine, and the least cost of any program.
//
// A hop takes a latency for each peer of a device, that of the slowest level used, and the time of its busiest link.
// For a group with n members, a of them in a unit (0 < a < n), each with V bytes, the unit's link carries each way
//
//   reduce_scatter a(n-a)V/n    all_gather a(n-a)V    all_reduce 2a(n-a)V/n    reduce, broadcast (n-a)V
//   in a ring      (n-1)V/n                (n-1)V                2(n-1)V/n                      V
//
// times the groups that lie so. Where the links of a level differ, the slowest counts. A program may be cut into c
// stretches: in slot t hop i works on stretch t - i. A slot takes the longest latency of its hops and, on the busiest
// link, all their bytes.
//
// Example: 1 GB on 4 nodes of 16 (8 and 270 GB/s). RS1 takes 3.5 ms, AR0 of a sixteenth 187.5 ms and AG1 3.5 ms; in 64
// stretches 187.6 ms in all, because the fast links work while the slow ones do.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/reduce/levels.hpp"

namespace tessera::synth {

struct ReduceHop {
  double latency = 0;
  std::vector<double> busy;  // seconds of the busiest link of each machine level
  double message_bytes = 0;  // of one message
};

class ReducePrices {
 public:
  // Each member has so many bytes at the beginning.
  ReducePrices(const Cluster& cluster, const ReduceLevels& levels, double payload_bytes)
      : cluster_(&cluster), levels_(&levels), payload_bytes_(payload_bytes) {}

  // The bytes that a participant holds before a step; `split` as in ReduceStates.
  double bytes(std::uint32_t split) const;
  std::vector<ReduceHop> hops(const LevelStep& step, std::uint32_t split) const;
  double seconds(const LevelStep& step, std::uint32_t split) const;

 private:
  // Members of one machine level among those who talk.
  struct Part {
    std::int64_t factor = 1;
    std::size_t machine_level = 0;
  };
  using Parts = std::vector<Part>;
  struct Crossing {
    double inside = 1;   // members in a unit
    double members = 1;  // in all
  };
  static double bytes_over_link(ReduceStepKind kind, ReduceForm form, const Crossing& crossing, double bytes);
  ReduceHop hop(ReduceStepKind kind, ReduceForm form, const Parts& members, const Parts& masters, double bytes) const;
  std::vector<ReduceHop> halving(ReduceStepKind kind, const Parts& members, Parts masters, double bytes) const;
  std::vector<ReduceHop> ring(ReduceStepKind kind, const Parts& members, const Parts& masters, double bytes) const;
  Parts parts(std::size_t begin, std::size_t end) const;

  const Cluster* cluster_;
  const ReduceLevels* levels_;
  double payload_bytes_;
};

// The hops of a valid program.
std::vector<ReduceHop> hops_of(const ReducePrices& prices, const LevelProgram& program,
                               const std::vector<std::uint32_t>& splits);

// The seconds of hops in any number of stretches: slots that fill and empty the pipe are summed once. Exact for steps
// that load all links of a level alike; reduce, broadcast and steps of masters are carried out in one stretch.
class PipelineSeconds {
 public:
  explicit PipelineSeconds(std::vector<ReduceHop> hops);
  double operator()(std::int64_t stretches) const;
  double message_bytes() const { return message_bytes_; }

 private:
  // The slot of the hops from begin to end - 1 together.
  struct Slot {
    double latency = 0;
    double busiest = 0;
  };
  Slot slot(std::size_t begin, std::size_t end) const;

  std::vector<ReduceHop> hops_;
  Slot full_;
  Slot ends_;  // sum of the slots that fill and empty the pipe
  double message_bytes_ = 0;
};

// The least seconds of any algorithm on these levels: an element that C units sum and H units need crosses C-1+H-1
// times, over all links of a level; and each unit has to send its part of every sum, or the sum.
double reduction_bound(const Cluster& cluster, const ReduceLevels& levels, double payload_bytes, ReduceGoal goal);

}  // namespace tessera::synth
