#include "bench/planner/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "bench/timing.hpp"
#include "synth/planner/choice.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::bench {

namespace {

using synth::Plan;
using synth::Planner;

// Those that plan changes of any kind on one mesh.
constexpr std::array kPlanners = {Planner::tessera, Planner::paper,   Planner::xla,
                                  Planner::shardy,  Planner::dtensor, Planner::gather};
// What differs by less is a tie, beyond sums of the same doubles in another order: our planner looks at bytes there.
constexpr double kAlike = synth::kAsFast * (1 + 1e-9);

class RatioSum {
 public:
  void add(double figure, double bound) {
    if (bound <= 0) return;
    logs_ += std::log(figure / bound);
    most_ = std::max(most_, figure / bound);
    ++count_;
  }
  Ratios ratios() const {
    return count_ == 0 ? Ratios{} : Ratios{std::exp(logs_ / static_cast<double>(count_)), most_};
  }

 private:
  double logs_ = 0;
  double most_ = 0;
  std::size_t count_ = 0;
};

double at(std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

// Of the processor: planning takes one core, whatever else the machine does.
double micros_since(double start) { return 1e6 * (seconds_on(Clock::cpu) - start); }

// `64 MiB`: in the largest unit that leaves a whole number.
std::string bytes_in_words(std::int64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes > 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

// One planner's figures while they are gathered.
class Tally {
 public:
  explicit Tally(Planner planner) { score_.planner = planner; }

  // The plan, verified, or nothing.
  std::optional<Plan> solve(const Problem& problem, const synth::Machine& machine) {
    synth::PlanOptions options;
    options.planner = score_.planner;
    ++score_.problems;
    const double start = seconds_on(Clock::cpu);
    auto planned = synth::plan_unverified(problem.from, problem.to, machine, options);
    planning_.push_back(micros_since(start));
    const double planned_at = seconds_on(Clock::cpu);
    const bool solved = planned.ok() && synth::with_bounds(*planned, machine).ok();
    verifying_.push_back(micros_since(planned_at));
    if (solved) return count(*planned);
    ++score_.unsolved;
    return std::nullopt;
  }

  void compare(const Plan& ours, const Plan& plan) {
    const bool faster = ours.seconds * kAlike < plan.seconds;
    const bool slower = ours.seconds > plan.seconds * kAlike;
    score_.wins += faster ? 1U : 0U;
    score_.losses += slower ? 1U : 0U;
    score_.ties += faster || slower ? 0U : 1U;
    score_.losses_within_bound += slower && plan.local_bytes_max <= plan.bound_bytes ? 1U : 0U;
  }

  Score finish() {
    score_.seconds = seconds_.ratios();
    score_.bytes = bytes_.ratios();
    score_.launches_mean = launches_ / static_cast<double>(std::max<std::size_t>(score_.problems - score_.unsolved, 1));
    score_.planning_micros_median = at(planning_, 0.5);
    score_.planning_micros_p99 = at(planning_, 0.99);
    score_.planning_micros_most = at(planning_, 1);
    score_.verifying_micros_median = at(verifying_, 0.5);
    return score_;
  }

 private:
  Plan count(const Plan& plan) {
    seconds_.add(plan.seconds, plan.lower_bound_seconds);
    bytes_.add(static_cast<double>(plan.received_bytes_total), static_cast<double>(plan.lower_bound_bytes_total));
    score_.beyond_bound += plan.local_bytes_max > plan.bound_bytes ? 1U : 0U;
    score_.peak_most = std::max(score_.peak_most, static_cast<double>(plan.peak_bytes) /
                                                      static_cast<double>(std::max<std::int64_t>(plan.bound_bytes, 1)));
    for (const auto& step : plan.steps) launches_ += is_launch(step.collective) ? 1 : 0;
    return plan;
  }

  Score score_;
  RatioSum seconds_;
  RatioSum bytes_;
  double launches_ = 0;
  std::vector<double> planning_;
  std::vector<double> verifying_;
};

}  // namespace

std::string name(const ProblemClass& problems) {
  return fmt::format("{}, {} extents, {}, {}{}", name(problems.meshes), name(problems.extents), name(problems.machine),
                     bytes_in_words(problems.local_bytes), problems.sums == Sums::pending ? ", sums" : "");
}

std::vector<ProblemClass> all_classes() {
  std::vector<ProblemClass> all;
  for (const Meshes meshes : {Meshes::powers_of_two, Meshes::others}) {
    for (const std::int64_t bytes : {kHugeBytes, kLargeBytes, kSmallBytes}) {
      for (const MachineShape machine : {MachineShape::flat, MachineShape::steep, MachineShape::mild}) {
        for (const Extents extents : {Extents::even, Extents::tight}) all.push_back({meshes, extents, machine, bytes});
        all.push_back({meshes, Extents::even, machine, bytes, Sums::pending});
      }
    }
  }
  return all;
}

std::vector<Plan> furthest_from_bound(const ProblemClass& of, std::size_t count, std::uint64_t seed,
                                      std::size_t shown) {
  std::vector<Plan> plans;
  for (const Problem& problem : problems(of.meshes, of.extents, count, seed, of.sums)) {
    auto planned = synth::plan(problem.from, problem.to, machine_for(of.machine, problem, of.local_bytes));
    if (planned.ok() && planned->lower_bound_seconds > 0) plans.push_back(std::move(*planned));
  }
  const auto further = [](const Plan& a, const Plan& b) {
    return a.seconds * b.lower_bound_seconds > b.seconds * a.lower_bound_seconds;
  };
  std::stable_sort(plans.begin(), plans.end(), further);
  plans.resize(std::min(plans.size(), shown));
  return plans;
}

std::vector<Score> scores(const ProblemClass& of, std::size_t count, std::uint64_t seed) {
  std::vector<Tally> tallies;
  for (const Planner planner : kPlanners) tallies.emplace_back(planner);
  for (const Problem& problem : problems(of.meshes, of.extents, count, seed, of.sums)) {
    const synth::Machine machine = machine_for(of.machine, problem, of.local_bytes);
    std::optional<Plan> ours;
    for (Tally& tally : tallies) {
      auto plan = tally.solve(problem, machine);
      if (&tally == tallies.data()) ours = plan;
      if (plan && ours) tally.compare(*ours, *plan);
    }
  }
  std::vector<Score> all;
  for (Tally& tally : tallies) all.push_back(tally.finish());
  return all;
}

}  // namespace tessera::bench
