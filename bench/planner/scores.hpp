// The figures of planners on a class of problems.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/planner/problems.hpp"
#include "synth/planner/plan.hpp"

namespace tessera::bench {

// Problems of one kind, priced on one machine as if the larger end were so many bytes on a device.
struct ProblemClass {
  Meshes meshes = Meshes::powers_of_two;
  Extents extents = Extents::even;
  MachineShape machine = MachineShape::flat;
  std::int64_t local_bytes = 0;
  Sums sums = Sums::none;
};
std::string name(const ProblemClass& problems);

// Sizes that problems are priced at: at the huge one latency vanishes, at the small one it is most of the price.
inline constexpr std::int64_t kHugeBytes = std::int64_t{64} << 30U;
inline constexpr std::int64_t kLargeBytes = std::int64_t{64} << 20U;
inline constexpr std::int64_t kSmallBytes = std::int64_t{64} << 10U;

// Every combination of meshes, size, machine and extents; sums with even ones only.
std::vector<ProblemClass> all_classes();

// Ratios to a lower bound: problems that need nothing are left out.
struct Ratios {
  double geometric_mean = 1;
  double most = 1;
};

struct Score {
  synth::Planner planner = synth::Planner::tessera;
  std::size_t problems = 0;
  std::size_t unsolved = 0;
  std::size_t beyond_bound = 0;  // the largest array is larger than both ends
  Ratios seconds;
  Ratios bytes;
  double peak_most = 1;  // over the larger end
  double launches_mean = 0;
  double planning_micros_median = 0;
  double planning_micros_p99 = 0;
  double planning_micros_most = 0;
  double verifying_micros_median = 0;
  // Our planner against this one, where both have a plan: modelled time lower, the same, higher; the last counted also
  // for plans of the rival's that keep the bound.
  std::size_t wins = 0;
  std::size_t ties = 0;
  std::size_t losses = 0;
  std::size_t losses_within_bound = 0;
};

// Our planner's plans that are furthest from the bound of time, the worst first.
std::vector<synth::Plan> furthest_from_bound(const ProblemClass& problems, std::size_t count, std::uint64_t seed,
                                             std::size_t shown);

// One score for each planner, in the order of the planners' table.
std::vector<Score> scores(const ProblemClass& problems, std::size_t count, std::uint64_t seed);

}  // namespace tessera::bench
