#include "bench/planner/reductions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "synth/moves/reduce/rivals.hpp"

namespace tessera::bench {

namespace {

using synth::ReduceGoal;
using Sizes = std::vector<std::int64_t>;

constexpr double kManyBytes = 1e9;
constexpr double kSomeBytes = 64 * 1024 * 1024;

// Lists of one to `axes` sizes from 2 on that multiply to `devices`.
void add_sizes(std::vector<Sizes>& all, Sizes& begun, std::int64_t devices, std::size_t axes) {
  if (devices == 1 && !begun.empty()) all.push_back(begun);
  if (axes == 0) return;
  for (std::int64_t size = 2; size <= devices; ++size) {
    if (devices % size != 0) continue;
    begun.push_back(size);
    add_sizes(all, begun, devices / size, axes - 1);
    begun.pop_back();
  }
}

void add_cases(std::vector<ReductionCase>& all, std::int64_t nodes, std::int64_t inside, double bandwidth) {
  const synth::Machine machine{{{"node", nodes, 8e9, 0}, {"device", inside, bandwidth, 0}}};
  std::vector<Sizes> lists;
  Sizes begun;
  add_sizes(lists, begun, nodes * inside, 3);
  for (const Sizes& sizes : lists) {
    for (std::uint32_t reduced = 1; reduced < 1U << sizes.size(); ++reduced) {
      synth::for_each_placement({sizes, {nodes, inside}}, [&](const synth::PlaceMatrix& matrix) {
        all.push_back({machine, sizes, reduced, matrix});
        return true;
      });
    }
  }
}

synth::ReduceLevels levels_of(const ReductionCase& of) {
  synth::AxisList axes;
  for (std::size_t axis = 0; axis < of.sizes.size(); ++axis) {
    if ((of.reduced >> axis & 1U) != 0) axes.push_back({static_cast<std::uint8_t>(axis), 1, of.sizes[axis]});
  }
  return *synth::reduce_levels(of.matrix, axes);
}

synth::Cluster cluster_of(synth::Machine machine, bool with_latency) {
  if (with_latency) {
    machine.levels[0].latency_seconds = 5e-6;
    machine.levels[1].latency_seconds = 1e-6;
  }
  return synth::Cluster(*synth::machine_for(machine, 1));
}

// Geometric mean and maximum.
class Quotients {
 public:
  void add(double quotient) {
    logarithms_ += std::log(quotient);
    most_ = std::max(most_, quotient);
    ++count_;
  }
  double mean() const { return std::exp(logarithms_ / static_cast<double>(count_)); }
  double most() const { return most_; }

 private:
  double logarithms_ = 0;
  double most_ = 0;
  std::int64_t count_ = 0;
};

// The least and greatest seconds under any matrix.
struct Range {
  double least = 0;
  double most = 0;
};

}  // namespace

std::vector<ReductionCase> all_reductions() {
  std::vector<ReductionCase> all;
  add_cases(all, 2, 16, 270e9);
  add_cases(all, 4, 16, 270e9);
  add_cases(all, 2, 8, 135e9);
  add_cases(all, 4, 8, 135e9);
  return all;
}

ReductionScores score_reductions() {
  constexpr double kSlack = 1 + 1e-9;
  synth::ReduceGraphs graphs;
  ReductionScores scores;
  Quotients short_ones;
  Quotients over_bound;
  Quotients over_ring;
  std::map<std::tuple<std::int64_t, Sizes, std::uint32_t>, Range> by_request;
  for (const ReductionCase& of : all_reductions()) {
    ++scores.cases;
    constexpr ReduceGoal kGoal = ReduceGoal::all_reduce;
    const synth::ReduceLevels levels = levels_of(of);
    const synth::Cluster fast = cluster_of(of.machine, false);
    const synth::ReducePrices prices(fast, levels, kManyBytes);
    const double best_short = short_program(graphs, prices, levels.size(), kGoal).seconds;
    const double ring = *program_seconds(fast, levels, kManyBytes, kGoal, ring_program(levels, kGoal));
    short_ones.add(ring / best_short);
    if (ring > best_short * kSlack) ++scores.short_wins;
    const auto [range, is_new] = by_request.try_emplace(
        {of.machine.levels[0].count * 1000 + of.machine.levels[1].count, of.sizes, of.reduced}, best_short, best_short);
    range->second = {std::min(range->second.least, best_short), std::max(range->second.most, best_short)};

    const synth::Cluster slow = cluster_of(of.machine, true);
    const double ours = best_program(graphs, slow, levels, kSomeBytes, kGoal).seconds;
    const double slow_ring = *program_seconds(slow, levels, kSomeBytes, kGoal, ring_program(levels, kGoal));
    const double masters = *program_seconds(slow, levels, kSomeBytes, kGoal, masters_program(levels, kSomeBytes));
    const double slow_short =
        short_program(graphs, synth::ReducePrices(slow, levels, kSomeBytes), levels.size(), kGoal).seconds;
    over_bound.add(ours / reduction_bound(slow, levels, kSomeBytes, kGoal));
    over_ring.add(slow_ring / ours);
    if (ours > std::min({slow_ring, masters, slow_short}) * kSlack) ++scores.slower_than_rival;
  }
  const auto cases = static_cast<double>(scores.cases);
  scores.short_wins /= cases;
  scores.slower_than_rival /= cases;
  scores.short_mean = short_ones.mean();
  scores.short_most = short_ones.most();
  scores.bound_mean = over_bound.mean();
  scores.bound_most = over_bound.most();
  scores.ring_mean = over_ring.mean();
  scores.ring_most = over_ring.most();
  for (const auto& [request, range] : by_request)
    scores.placement_most = std::max(scores.placement_most, range.most / range.least);
  return scores;
}

}  // namespace tessera::bench
