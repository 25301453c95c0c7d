#include "synth/planner/choice.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "synth/planner/figures.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

base::Status Way::take(const Collective& step, Prices& prices) {
  TESSERA_TRY(after, apply(step, type));
  Collective best = prices.best_form(step, type, after);
  const StepCost price = prices.of(best, type, after);
  seconds += price.seconds;
  received_bytes += price.received_bytes_total;
  launches += price.received_bytes_total > 0 ? 1 : 0;
  steps.push_back(std::move(best));
  type = std::move(after);
  return base::Done{};
}

Choice::Choice(const ArrayType& from, const ArrayType& to, Prices& prices)
    : from_(from), prices_(prices), bound_bytes_(std::max(tile_bytes_max(from), tile_bytes_max(to))) {}

// True for a candidate that is no faster than the fastest so far and receives more. It can be dropped: whatever makes
// the fastest slow makes this one at least as slow.
bool Choice::is_hopeless(double seconds_least, std::int64_t bytes_least) const {
  if (seconds_least > seconds_max_) return true;
  if (candidates_.empty()) return false;
  const Candidate& fastest = candidates_[fastest_];
  return seconds_least >= fastest.seconds && bytes_least > fastest.received_bytes;
}

base::Status Choice::consider(Way way, const Chain& rest) {
  newest_seconds_ = std::numeric_limits<double>::infinity();
  for (const Collective& step : rest) {
    TESSERA_TRY_STATUS(way.take(step, prices_));
    if (tile_bytes_max(way.type) > bound_bytes_ || is_hopeless(way.seconds, way.received_bytes)) return base::Done{};
  }
  newest_seconds_ = way.seconds;
  candidates_.push_back(Candidate{std::move(way.steps), way.seconds, way.received_bytes, way.launches});
  if (way.seconds < candidates_[fastest_].seconds) fastest_ = candidates_.size() - 1;
  seconds_max_ = candidates_[fastest_].seconds * kAsFast;
  return base::Done{};
}

base::Status Choice::count_peaks(std::vector<Candidate>& candidates) const {
  if (candidates.size() < 2) return base::Done{};
  for (Candidate& candidate : candidates) {
    TESSERA_TRY(peaks, step_peaks(candidate.chain, from_));
    candidate.peak_bytes = peaks.empty() ? tile_bytes_max(from_) : *std::max_element(peaks.begin(), peaks.end());
  }
  return base::Done{};
}

std::vector<Chain> Choice::considered() const {
  std::vector<Chain> chains;
  for (const Candidate& candidate : candidates_) chains.push_back(candidate.chain);
  return chains;
}

base::Result<std::optional<Chain>> Choice::best() && {
  std::erase_if(candidates_, [&](const Candidate& c) { return c.seconds > seconds_max_; });
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const Candidate& c : candidates_) fewest = std::min(fewest, c.received_bytes);
  std::erase_if(candidates_, [&](const Candidate& c) { return c.received_bytes > fewest; });
  if (candidates_.empty()) return std::optional<Chain>{};
  TESSERA_TRY_STATUS(count_peaks(candidates_));
  const auto better = [](const Candidate& a, const Candidate& b) {
    return std::tie(a.peak_bytes, a.launches) < std::tie(b.peak_bytes, b.launches);
  };
  return std::optional<Chain>{std::move(std::min_element(candidates_.begin(), candidates_.end(), better)->chain)};
}

namespace {

// Steps that move something.
std::int64_t launches(const Plan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(),
                       [](const PlanStep& s) { return s.received_bytes_total > 0; });
}

}  // namespace

Plan chosen(std::vector<Plan> plans) {
  const auto by_time = [](const Plan& a, const Plan& b) { return a.seconds < b.seconds; };
  const double most = std::min_element(plans.begin(), plans.end(), by_time)->seconds * kAsFast;
  std::erase_if(plans, [&](const Plan& plan) { return plan.seconds > most; });
  const auto order = [](const Plan& p) { return std::tuple(p.received_bytes_total, p.peak_bytes, launches(p)); };
  const auto better = [&](const Plan& a, const Plan& b) { return order(a) < order(b); };
  return std::move(*std::min_element(plans.begin(), plans.end(), better));
}

}  // namespace tessera::synth
