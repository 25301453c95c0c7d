#include "synth/choose/limited.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "synth/choose/closed.hpp"

namespace tessera::synth {

namespace {

// The first price of a byte: all memory together costs this share of the program.
constexpr double kFirstShare = 1.0 / 64;
constexpr double kClosedGap = 1e-9;
constexpr double kDearer = 4;
constexpr int kRaisesMax = 12;
constexpr int kHalvings = 5;
constexpr std::size_t kLeastTrials = 12;  // of those that are kept for the least need
// What time may cost in all where the least memory is looked for: of two programs of one need the faster is better.
constexpr double kTimeOfLeast = 1e-3;

double dearest_seconds(const Model& model) {
  double sum = 0;
  for (const ModelNode& node : model.nodes) {
    double most = 0;
    for (const ModelStrategy& strategy : node.strategies) most = std::max(most, strategy.seconds);
    sum += most;
  }
  for (const Star& star : model.stars) {
    double most = 0;
    for (const double seconds : star.seconds) most = std::max(most, seconds == kEndless ? 0 : seconds);
    sum += most * star.executions * static_cast<double>(star.readers());
  }
  return sum;
}

// Many searches, each with less patience.
ChooseOptions of_trials(const ChooseOptions& options) {
  ChooseOptions own = options;
  own.walk_states = std::min<std::size_t>(own.walk_states, 20'000);
  own.elimination_entries = std::min(own.elimination_entries, std::size_t{1} << 15);
  own.halves = 0;
  return own;
}

}  // namespace

LimitedChoice::LimitedChoice(const ChoiceProblem& problem, const Model& model, const std::vector<std::int64_t>& limits,
                             PlanCache& cache, const ChooseOptions& options, base::StopToken stop)
    : problem_(problem),
      model_(model),
      limits_(limits),
      cache_(cache),
      options_(of_trials(options)),
      stop_(stop),
      memory_(problem, model),
      dearest_seconds_(dearest_seconds(model)) {}

base::Result<LayoutChoice> LimitedChoice::run(LayoutChoice fastest) {
  bound_seconds_ = fastest.bound_seconds;
  fastest_seconds_ = fastest.seconds;
  Trial first{std::move(fastest), 0, {}};
  first.worst = worst_of(first.choice);
  note(first);
  TESSERA_TRY_STATUS(raise_prices(first));
  if (!best_) TESSERA_TRY_STATUS(find_least());
  if (!best_) return least_choice();
  best_->bound_seconds = std::min(bound_seconds_, best_->seconds);
  best_->proof = best_->gap() < kClosedGap ? ChoiceProof::ascent : ChoiceProof::limit;
  best_->peak_bytes = MemoryUse(problem_, *best_).peaks();
  return std::move(*best_);
}

LimitedChoice::Lack LimitedChoice::worst_of(const LayoutChoice& choice) const {
  const MemoryUse use(problem_, choice);
  Lack worst;
  for (std::size_t device = 0; device < limits_.size(); ++device) {
    if (limits_[device] == 0) continue;
    const std::vector<std::int64_t> held = use.of_device(static_cast<std::int64_t>(device));
    const auto most = std::ranges::max_element(held);
    const double times = static_cast<double>(*most) / static_cast<double>(limits_[device]);
    if (times > worst.times) worst = {static_cast<std::size_t>(most - held.begin()), device, times};
  }
  return worst;
}

// What a device needs in the moment of a price, as a multiple of what it has.
double LimitedChoice::need(const LayoutChoice& choice, const MemoryPrice& price) const {
  const auto held = MemoryUse(problem_, choice).of_device(static_cast<std::int64_t>(price.device));
  return static_cast<double>(held[price.moment]) / static_cast<double>(limits_[price.device]);
}

double LimitedChoice::cost_of_limits() const {
  double cost = 0;
  for (const MemoryPrice& price : prices_) cost += price.seconds_per_byte * static_cast<double>(limits_[price.device]);
  return cost;
}

void LimitedChoice::note(const Trial& trial) {
  if (trial.worst.times <= 1 && (!best_ || trial.choice.seconds < best_->seconds)) best_ = trial.choice;
  if (!least_ || trial.worst.times < least_->worst.times) least_ = trial;
}

base::Result<LimitedChoice::Trial> LimitedChoice::tried(double time) {
  ++trials_;
  Model priced = memory_.priced(model_, prices_, time);
  const Searched found = search(priced, options_, &start_);
  TESSERA_TRY(choice, closed(priced, found.best, cache_, stop_));
  Trial trial{std::move(choice), found.bound, {}};
  trial.worst = worst_of(trial.choice);
  note(trial);
  return trial;
}

// One price after the other, each for what the program so far lacks most.
base::Status LimitedChoice::raise_prices(const Trial& first) {
  Trial now = first;
  while (now.worst.times > 1 && trials_ + kLeastTrials < options_.priced_searches) {
    const auto known = std::ranges::find_if(prices_, [&](const MemoryPrice& own) {
      return own.moment == now.worst.moment && own.device == now.worst.device;
    });
    const auto at = static_cast<std::size_t>(known - prices_.begin());
    if (known == prices_.end()) prices_.push_back({now.worst.moment, now.worst.device, 0});
    const double before = prices_[at].seconds_per_byte;
    TESSERA_TRY_STATUS(settle(prices_[at], now));
    if (prices_[at].seconds_per_byte <= before) break;
  }
  return base::Done{};
}

// Raises a price until enough is there, and then lowers it as long as that stays so.
base::Status LimitedChoice::settle(MemoryPrice& price, Trial& now) {
  const double all = static_cast<double>(limits_[price.device]);
  double low = price.seconds_per_byte;
  double high = low > 0 ? low * kDearer : fastest_seconds_ / all * kFirstShare;
  for (int raise = 0;; ++raise, high *= kDearer) {
    price.seconds_per_byte = high;
    TESSERA_TRY(trial, tried(1));
    bound_seconds_ = std::max(bound_seconds_, trial.bound - cost_of_limits());
    now = std::move(trial);
    if (need(now.choice, price) <= 1) break;
    low = high;
    if (raise == kRaisesMax) return base::Done{};
  }
  for (int halving = 0; halving < kHalvings; ++halving) {
    price.seconds_per_byte = low > 0 ? std::sqrt(low * high) : high / kDearer;
    TESSERA_TRY(trial, tried(1));
    bound_seconds_ = std::max(bound_seconds_, trial.bound - cost_of_limits());
    const bool is_enough = need(trial.choice, price) <= 1;
    (is_enough ? high : low) = price.seconds_per_byte;
    if (is_enough) now = std::move(trial);
  }
  price.seconds_per_byte = high;
  return base::Done{};
}

// Time costs next to nothing: prices are shared out among the moments in which programs lacked most, one more share
// each time (fictitious play of whoever lays out against whoever prices).
base::Status LimitedChoice::find_least() {
  prices_.clear();
  start_ = {};
  Lack worst = least_->worst;
  for (std::size_t trial = 0; trial < kLeastTrials && !best_; ++trial) {
    const double share = 1.0 / static_cast<double>(trial + 1);
    for (MemoryPrice& price : prices_) price.seconds_per_byte *= 1 - share;
    const double own = share / static_cast<double>(limits_[worst.device]);
    const auto known = std::ranges::find_if(prices_, [&](const MemoryPrice& price) {
      return price.moment == worst.moment && price.device == worst.device;
    });
    if (known == prices_.end())
      prices_.push_back({worst.moment, worst.device, own});
    else
      known->seconds_per_byte += own;
    const double time = dearest_seconds_ > 0 ? kTimeOfLeast / dearest_seconds_ : 0;
    TESSERA_TRY(made, tried(time));
    least_times_ = std::max(least_times_, (made.bound - kTimeOfLeast) / cost_of_limits());
    worst = made.worst;
  }
  return base::Done{};
}

LayoutChoice LimitedChoice::least_choice() const {
  LayoutChoice choice = least_->choice;
  const std::size_t device = least_->worst.device;
  choice.bound_seconds = std::min(bound_seconds_, choice.seconds);
  choice.proof = ChoiceProof::limit;
  choice.peak_bytes = MemoryUse(problem_, choice).peaks();
  const double least = least_times_ * static_cast<double>(limits_[device]);
  choice.shortage = {device, least_->worst.moment, limits_[device], static_cast<std::int64_t>(least)};
  return choice;
}

}  // namespace tessera::synth
