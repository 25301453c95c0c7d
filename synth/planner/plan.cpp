// Planning: candidates, priced; the best within the limits, beside its bounds, verified.
#include "synth/planner/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/stop_scope.hpp"
#include "base/wide.hpp"
#include "synth/kinds.hpp"
#include "synth/layout/place/fit.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/choice.hpp"
#include "synth/planner/collectives_only.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/portfolio.hpp"
#include "synth/planner/relays.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/within.hpp"
#include "synth/verify/verify.hpp"

namespace tessera::synth {

namespace {

using base::make;

base::Status check_ends(const ArrayType& from, const ArrayType& to) {
  if (from.element() == to.element() && from.shape() == to.shape()) return base::Done{};
  return make(Kind::as_changes_shape, print(from), print(to));
}

// The machine for a run in which there are both meshes.
base::Result<RunMachine> machine_for_both(const Machine& given, const Mesh& from, const Mesh& to) {
  TESSERA_TRY(machine, machine_for(given, from));
  if (from == to) return machine;
  TESSERA_TRY(of_target, machine_for(given, to));
  return from.devices_end() >= to.devices_end() ? machine : of_target;
}

// Sums over all devices and steps must be numbers: a reduction receives twice what all devices hold, nothing more.
base::Status check_sums(const ArrayType& from, const ArrayType& to, bool gathers_all) {
  const std::int64_t largest = gathers_all ? array_bytes(from) : std::max(tile_bytes_max(from), tile_bytes_max(to));
  const base::Wide most = base::Wide{2} * largest * std::max(from.devices(), to.devices());
  if (most <= std::numeric_limits<std::int64_t>::max()) return base::Done{};
  return make(Kind::size_too_large, fmt::format("what all devices hold of `{}`", print(to)));
}

base::Result<std::vector<Chain>> chains_of(const ArrayType& from, const ArrayType& to, Prices& prices,
                                           const PlanOptions& options) {
  if (options.planner == Planner::tessera) {
    if (options.collectives_only) return collectives_only_chains(from, to, prices, options.within_bytes);
    return portfolio(from, to, prices, options.within_bytes ? Resolve::every_way : Resolve::fastest);
  }
  if (is_between_meshes(options.planner)) {
    TESSERA_TRY(chain, meshes_rival_chain(from, to, prices.machine(), options.planner));
    return std::vector<Chain>{chain};
  }
  TESSERA_TRY(chain, rival_chain(from, to, options.planner, prices.machine()));
  return std::vector<Chain>{chain};
}

// Without a general exchange no bound is kept for sure: plans that keep it come first, then those of least peak.
void keep_those_of_least_excess(std::vector<Plan>& plans) {
  const auto excess = [](const Plan& p) { return p.local_bytes_max > p.bound_bytes ? p.peak_bytes : 0; };
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Plan& plan : plans) least = std::min(least, excess(plan));
  std::erase_if(plans, [&](const Plan& plan) { return excess(plan) > least; });
}

// The bytes that a budget has to hold.
base::Result<std::int64_t> peak_with_source(const Plan& plan, const PlanOptions& options) {
  if (options.source != Source::lives_on) return plan.peak_bytes;
  Chain chain;
  for (const PlanStep& step : plan.steps) chain.push_back(step.collective);
  TESSERA_TRY(peaks, step_peaks(chain, plan.from, Source::lives_on));
  return peaks.empty() ? plan.peak_bytes : *std::max_element(peaks.begin(), peaks.end());
}

base::Result<std::vector<Plan>> within_budget(std::vector<Plan> candidates, const PlanOptions& options) {
  if (!options.within_bytes) return candidates;
  std::vector<Plan> kept;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (Plan& plan : candidates) {
    TESSERA_TRY(peak, peak_with_source(plan, options));
    least = std::min(least, peak);
    if (peak <= *options.within_bytes) kept.push_back(std::move(plan));
  }
  if (kept.empty()) return over_budget(least, *options.within_bytes);
  return kept;
}

base::Result<Plan> choose(std::vector<Plan> candidates, const PlanOptions& options) {
  TESSERA_TRY(kept, within_budget(std::move(candidates), options));
  if (options.collectives_only) keep_those_of_least_excess(kept);
  return chosen(std::move(kept));
}

// Is there more than the fastest chains to keep a budget with?
bool may_detour(const PlanOptions& options) {
  return options.within_bytes && options.planner == Planner::tessera && !options.collectives_only;
}

// The best of the chains within the limits.
base::Result<Plan> best_of(Prices& prices, const ArrayType& from, const ArrayType& to, const std::vector<Chain>& chains,
                           const PlanOptions& options) {
  std::vector<Plan> candidates;
  for (const Chain& chain : chains) {
    TESSERA_TRY(candidate, priced(prices, from, to, options.planner, chain));
    candidates.push_back(std::move(candidate));
  }
  if (!may_detour(options)) return choose(std::move(candidates), options);
  PlanOptions boundless = options;
  boundless.within_bytes.reset();
  TESSERA_TRY(best, choose(std::move(candidates), boundless));
  TESSERA_TRY(peak, peak_with_source(best, options));
  if (peak <= *options.within_bytes) return best;
  return plan_within(prices, from, to, chains, options);
}

std::string cache_key(const ArrayType& from, const ArrayType& to, const PlanOptions& options) {
  const Source source = options.within_bytes ? options.source : Source::dies;
  return fmt::format("{} {}; {} {}; {} {} {} {}", print(from.mesh()), print(from), print(to.mesh()), print(to),
                     name(options.planner), options.collectives_only, options.within_bytes.value_or(-1),
                     static_cast<int>(source));
}

}  // namespace

base::Result<Plan> plan_unverified(const ArrayType& from, const ArrayType& to, const Machine& given,
                                   const PlanOptions& options, KnownSums* known_sums) {
  TESSERA_TRY_STATUS(check_ends(from, to));
  TESSERA_TRY(machine, machine_for_both(given, from.mesh(), to.mesh()));
  // Between meshes the machine is that of the larger one, whose sums may take another time.
  Prices prices(machine, from.mesh() == to.mesh() ? known_sums : nullptr);
  const bool ours = options.planner == Planner::tessera;
  const bool nothing_to_do = same_type(from, to);
  std::vector<Chain> chains{Chain{}};
  // A rival that cannot express the ends cannot, even where there is nothing to do.
  if (!ours || !nothing_to_do) {
    TESSERA_TRY_STATUS(check_sums(from, to, options.collectives_only || !ours));
    TESSERA_TRY(found, chains_of(from, to, prices, options));
    if (!nothing_to_do) chains = std::move(found);
  }
  TESSERA_TRY(best, best_of(prices, from, to, chains, options));
  if (options.planner == Planner::alpa) TESSERA_TRY_STATUS(list_broadcasts(best, machine));
  best.bound_promised = ours && !options.collectives_only;
  return best;
}

base::Status with_bounds(Plan& plan, const Machine& given) {
  TESSERA_TRY(machine, machine_for_both(given, plan.from.mesh(), plan.to.mesh()));
  const LowerBound bound = lower_bound(machine, plan.from, plan.to);
  plan.lower_bound_bytes_total = bound.received_bytes_total;
  plan.lower_bound_seconds = bound.seconds;
  TESSERA_TRY_STATUS(verify(plan, machine));
  plan.verified = true;
  return base::Done{};
}

base::Result<Plan> plan(const ArrayType& from, const ArrayType& to, const Machine& machine, const PlanOptions& options,
                        base::StopToken stop) {
  return base::guarded_until_stopped([&]() -> base::Result<Plan> {
    const base::StopScope scope(stop);
    TESSERA_TRY(made, plan_unverified(from, to, machine, options));
    TESSERA_TRY_STATUS(with_bounds(made, machine));
    return made;
  });
}

static base::Result<ArrayType> after_steps(const ArrayType& from, const std::vector<Collective>& steps) {
  ArrayType to = from;
  for (const Collective& step : steps) {
    TESSERA_TRY(next, apply(step, to));
    to = next;
  }
  return to;
}

base::Result<Plan> plan_of_steps(const ArrayType& from, const std::vector<Collective>& steps, const Machine& given) {
  return base::guarded([&]() -> base::Result<Plan> {
    TESSERA_TRY(to, after_steps(from, steps));
    TESSERA_TRY(machine, machine_for_both(given, from.mesh(), to.mesh()));
    TESSERA_TRY_STATUS(check_sums(from, to, true));
    Prices prices(machine);
    TESSERA_TRY(made, priced(prices, from, to, Planner::tessera, steps));
    made.bound_promised = false;
    TESSERA_TRY_STATUS(with_bounds(made, given));
    return made;
  });
}

// Are both one step of the same name between the same types, whatever the recipes?
static bool is_same_step(const Collective& step, const Plan& plan) {
  if (plan.steps.size() != 1) return false;
  const Collective& other = plan.steps[0].collective;
  if (movement(step) == Movement::copies) return movement(other) == Movement::copies && plan.steps[0].after == plan.to;
  return step.effect.index() == other.effect.index() && axes_of(step) == axes_of(other);
}

// The step with the recipe that plans would give it: that of a plan for the change, where this is one step, or what is
// found for the step alone, if that is faster.
static base::Result<Collective> as_in_plans(const Collective& step, const ArrayType& before, const ArrayType& after,
                                            const RunMachine& machine) {
  if (is_assumed(machine) || movement(step) == Movement::none) return step;
  Prices prices(machine);
  Collective best = prices.best_form(step, before, after);
  double seconds = prices.of(best, before, after).seconds / kAsFast;
  TESSERA_TRY(planned, plan_unverified(before, after, machine, {}));
  if (is_same_step(step, planned) && planned.seconds < seconds) {
    best = planned.steps[0].collective;
    seconds = planned.seconds;
  }
  if (movement(step) != Movement::copies) return best;
  auto relay = relay_move(before, after, prices, seconds);
  return relay ? relay->back() : best;
}

base::Result<Plan> plan_by_hand(const ArrayType& from, const Collective& step, const Machine& given,
                                base::StopToken stop) {
  return base::guarded_until_stopped([&]() -> base::Result<Plan> {
    const base::StopScope scope(stop);
    TESSERA_TRY(to, apply(step, from));
    TESSERA_TRY(machine, machine_for_both(given, from.mesh(), to.mesh()));
    TESSERA_TRY_STATUS(check_sums(from, to, true));
    TESSERA_TRY(chosen_step, as_in_plans(step, from, to, machine));
    Prices prices(machine);
    TESSERA_TRY(made, priced(prices, from, to, Planner::tessera, {chosen_step}));
    made.bound_promised = false;
    TESSERA_TRY_STATUS(with_bounds(made, given));
    return made;
  });
}

template <class Make>
base::Result<std::shared_ptr<const Plan>> PlanCache::remembered(const std::string& key, const Make& make) {
  if (const auto* known = plans_.find(key); known != nullptr) return *known;
  TESSERA_TRY(made, make());
  auto shared = std::make_shared<const Plan>(std::move(made));
  plans_.set(key, shared);
  ++size_;
  return shared;
}

base::Result<std::shared_ptr<const Plan>> PlanCache::get(const ArrayType& from, const ArrayType& to,
                                                         const PlanOptions& options, base::StopToken stop) {
  return base::guarded_until_stopped([&]() -> base::Result<std::shared_ptr<const Plan>> {
    const base::StopScope scope(stop);
    const std::string key = cache_key(from, to, options);
    TESSERA_TRY(known, remembered(key, [&]() -> base::Result<Plan> {
                  TESSERA_TRY(made, plan_unverified(from, to, machine_, options, &known_sums_));
                  TESSERA_TRY_STATUS(with_bounds(made, machine_));
                  return made;
                }));
    if (known->verified) return known;
    Plan own = *known;
    TESSERA_TRY_STATUS(with_bounds(own, machine_));
    auto verified = std::make_shared<const Plan>(std::move(own));
    plans_.set(key, verified);
    return verified;
  });
}

base::Result<std::shared_ptr<const Plan>> PlanCache::get_price(const ArrayType& from, const ArrayType& to,
                                                               const PlanOptions& options, base::StopToken stop) {
  return base::guarded_until_stopped([&] {
    const base::StopScope scope(stop);
    return remembered(cache_key(from, to, options),
                      [&] { return plan_unverified(from, to, machine_, options, &known_sums_); });
  });
}

void PlanCache::remember(std::shared_ptr<const Plan> plan) {
  const std::string key = cache_key(plan->from, plan->to, {});
  if (plans_.find(key) != nullptr) return;
  plans_.set(key, std::move(plan));
  ++size_;
}

base::Result<std::shared_ptr<const Plan>> PlanCache::get_by_hand(const ArrayType& from, const Collective& step,
                                                                 base::StopToken stop) {
  return base::guarded([&]() -> base::Result<std::shared_ptr<const Plan>> {
    TESSERA_TRY(to, apply(step, from));
    const std::string key =
        fmt::format("by hand: {} {}; {}", name(step), detail(step, from.mesh()), cache_key(from, to, {}));
    return remembered(key, [&] { return plan_by_hand(from, step, machine_, stop); });
  });
}

}  // namespace tessera::synth
