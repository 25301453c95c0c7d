#include "bench/reduce/reduce_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "bench/planner/reductions.hpp"
#include "synth/layout/place/fit.hpp"
#include "synth/planner/plan.hpp"
#include "synth/planner/programs.hpp"
#include "synth/planner/ranking/sum_estimate.hpp"
#include "synth/verify/verify.hpp"

namespace tessera::bench {

namespace {

using namespace synth;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// How long planners take, in seconds.
struct SearchTimes {
  double median = 0;  // a program, over all cases of 64 devices and less
  double late = 0;    // the 99th of a hundred
  double four_levels = 0;
  double wide_program = 0;  // over 65,536 devices
  double wide_plan = 0;
  double wide_verified = 0;
  double estimates = 0;  // of three requests under 1,206 matrices
};

double time_of_program(const RunMachine& machine, const ReduceLevels& levels, ReduceGraphs& graphs) {
  constexpr double kBytes = 64 << 20;
  const auto begin = std::chrono::steady_clock::now();
  best_program(graphs, Cluster(machine), levels, kBytes, ReduceGoal::all_reduce);
  return seconds_since(begin);
}

void time_all_cases(SearchTimes& times) {
  ReduceGraphs graphs;
  std::vector<double> all;
  for (const ReductionCase& one : all_reductions()) {
    AxisList reduced;
    for (std::size_t axis = 0; axis < one.sizes.size(); ++axis) {
      if ((one.reduced >> axis & 1U) != 0) reduced.push_back({static_cast<std::uint8_t>(axis), 1, one.sizes[axis]});
    }
    const auto levels = reduce_levels(one.matrix, reduced);
    if (levels && !levels->empty()) all.push_back(time_of_program(*machine_for(one.machine, 1), *levels, graphs));
  }
  std::sort(all.begin(), all.end());
  times.median = all[all.size() / 2];
  times.late = all[all.size() * 99 / 100];
}

void time_many_devices(SearchTimes& times) {
  const RunMachine machine =
      *machine_for({{{"pod", 64, 25e9, 1e-5}, {"node", 32, 50e9, 5e-6}, {"device", 32, 300e9, 1e-6}}}, 65'536);
  const MeshRef on = *Mesh::make({{"dp", 65'536}});
  const ArrayType to = *ArrayType::make(ElementType::f32, {1 << 20, 1 << 10}, on, Layout::replicated(2));
  const Layout summed = *Layout::make(*on, {{}, {}}, {whole_axis(*on, 0)});
  const ArrayType from = *to.with_layout(summed);
  const ReduceLevels levels = *levels_of_sum(machine, *on, summed.pending());
  auto begin = std::chrono::steady_clock::now();
  const Cluster cluster(machine);
  fastest_nested(ReducePrices(cluster, levels, static_cast<double>(array_bytes(to))), levels, ReduceGoal::all_reduce);
  times.wide_program = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  const Plan plan = *synth::plan(from, to, machine);
  times.wide_plan = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  if (!verify(plan, machine).ok()) fmt::print("the plan is refused\n");
  times.wide_verified = seconds_since(begin);
}

void time_matrices(SearchTimes& times) {
  const RunMachine machine = *machine_for(
      {{{"d", 16, 8e9, 1e-5}, {"c", 16, 25e9, 5e-6}, {"b", 16, 50e9, 2e-6}, {"a", 16, 300e9, 1e-6}}}, 65'536);
  const MeshRef on = *Mesh::make({{"x", 16}, {"y", 64}, {"z", 64}});
  const ArrayType to = *ArrayType::make(ElementType::f32, {1 << 12, 1 << 12}, on, Layout::replicated(2));
  const auto begin = std::chrono::steady_clock::now();
  SumEstimate estimate(machine, *on);
  for (std::size_t axis = 0; axis < on->axes().size(); ++axis) {
    const ArrayType from = *to.with_layout(*Layout::make(*on, {{}, {}}, {whole_axis(*on, axis)}));
    for_each_placement(place_problem(*on, machine), [&](const PlaceMatrix& matrix) {
      estimate.of(matrix, from, to);
      return true;
    });
  }
  times.estimates = seconds_since(begin);
}

SearchTimes search_times() {
  SearchTimes times;
  time_all_cases(times);
  ReduceGraphs graphs;
  const RunMachine machine =
      *machine_for({{{"d", 2, 25e9, 5e-6}, {"c", 2, 50e9, 2e-6}, {"b", 4, 50e9, 1e-6}, {"a", 8, 300e9, 1e-6}}}, 128);
  const MeshRef on = *Mesh::make({{"x", 128}});
  times.four_levels = time_of_program(machine, *levels_of_sum(machine, *on, {whole_axis(*on, 0)}), graphs);
  time_many_devices(times);
  time_matrices(times);
  return times;
}

}  // namespace

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
  fmt::print("  a rival is faster in {:.1f}%\n\n", 100 * s.slower_than_rival);
  const SearchTimes t = search_times();
  constexpr double kMicro = 1e6;
  constexpr double kMilli = 1e3;
  fmt::print("Planning\n");
  fmt::print("  a program {:.0f} us in the median of these cases, {:.0f} us the 99th of a hundred\n", kMicro * t.median,
             kMicro * t.late);
  fmt::print("  the first program on four levels {:.1f} ms\n", kMilli * t.four_levels);
  fmt::print("  over 65,536 devices {:.2f} ms; the plan {:.0f} ms, of which {:.0f} ms are its verification\n",
             kMilli * t.wide_program, kMilli * t.wide_plan, kMilli * t.wide_verified);
  fmt::print("  three sums under each of 1,206 matrices {:.1f} ms\n", kMilli * t.estimates);
}

}  // namespace tessera::bench
