#include "bench/planner/planner_bench.hpp"

#include <fmt/format.h>

#include "bench/planner/scores.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/print_text.hpp"

namespace tessera::bench {

namespace {

void print_table(const ProblemClass& problems, const std::vector<Score>& scores) {
  fmt::print("\n{}\n{:<8} {:>9} {:>7} {:>9} {:>7} {:>6} {:>7} {:>6} {:>6} {:>5}/{:>5}/{:>5} {:>9} {:>9} {:>9} {:>9}\n",
             name(problems), "planner", "time gm", "max", "bytes gm", "max", "peak", "launch", "beyond", "unslvd",
             "win", "tie", "loss", "plan us", "p99", "max", "verify");
  for (const Score& s : scores) {
    fmt::print(
        "{:<8} {:>9.4f} {:>7.2f} {:>9.4f} {:>7.2f} {:>6.2f} {:>7.2f} {:>6} {:>6} {:>5}/{:>5}/{:>5} {:>9.1f} {:>9.1f} "
        "{:>9.1f} {:>9.1f}\n",
        name(s.planner), s.seconds.geometric_mean, s.seconds.most, s.bytes.geometric_mean, s.bytes.most, s.peak_most,
        s.launches_mean, s.beyond_bound, s.unsolved, s.wins, s.ties, s.losses_within_bound, s.planning_micros_median,
        s.planning_micros_p99, s.planning_micros_most, s.verifying_micros_median);
  }
}

void print_json(const ProblemClass& problems, const Score& s) {
  fmt::print(
      R"({{"meshes":"{}","extents":"{}","machine":"{}","local_bytes":{},"sums":{},"planner":"{}","problems":{},"unsolved":{},)"
      R"("beyond_bound":{},"seconds_geomean":{:.6f},"seconds_max":{:.6f},"bytes_geomean":{:.6f},"bytes_max":{:.6f},)"
      R"("peak_max":{:.6f},"launches_mean":{:.4f},"planning_us_median":{:.2f},"planning_us_p99":{:.2f},)"
      R"("planning_us_max":{:.2f},"verifying_us_median":{:.2f},"wins":{},"ties":{},"losses":{},"losses_within_bound":{}}})"
      "\n",
      name(problems.meshes), name(problems.extents), name(problems.machine), problems.local_bytes,
      problems.sums == Sums::pending, name(s.planner), s.problems, s.unsolved, s.beyond_bound, s.seconds.geometric_mean,
      s.seconds.most, s.bytes.geometric_mean, s.bytes.most, s.peak_most, s.launches_mean, s.planning_micros_median,
      s.planning_micros_p99, s.planning_micros_most, s.verifying_micros_median, s.wins, s.ties, s.losses,
      s.losses_within_bound);
}

void print_worst(const ProblemClass& problems, const PlannerBench& options) {
  fmt::print("\n{}\n", name(problems));
  for (const synth::Plan& plan : furthest_from_bound(problems, options.count, options.seed, options.worst)) {
    fmt::print("{:.4f} of the bound: {}: {} -> {}\n{}\n", plan.seconds / plan.lower_bound_seconds,
               print(plan.from.mesh()), print(plan.from), print(plan.to), print_text(plan));
  }
}

}  // namespace

void run(const PlannerBench& options) {
  for (const ProblemClass& problems : all_classes()) {
    if (name(problems).find(options.only) == std::string::npos) continue;
    if (options.worst > 0) {
      print_worst(problems, options);
      continue;
    }
    const std::vector<Score> found = scores(problems, options.count, options.seed);
    if (options.json) {
      for (const Score& score : found) print_json(problems, score);
    } else {
      print_table(problems, found);
    }
  }
}

}  // namespace tessera::bench
