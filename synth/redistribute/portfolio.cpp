// The fastest move from one layout to another with the same pending set: the direct exchange (or the collective that it
// is), an exchange into a refinement of the target and a gather, or what a rival would do. Whatever cannot beat the
// best so far by its lower bound is not priced.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "synth/machine/units.hpp"
#include "synth/redistribute/chain.hpp"
#include "synth/redistribute/floors.hpp"

namespace tessera::synth {

namespace {

constexpr std::int64_t kFewDevices = 64;
constexpr double kWorthTrying = 0.98;

class Portfolio {
 public:
  Portfolio(const ArrayType& from, const ArrayType& to, bool exactly, Prices& prices, double seconds_max)
      : from_(from),
        to_(to),
        exactly_(exactly),
        prices_(prices),
        seconds_max_(seconds_max),
        bound_(std::max(tile_bytes_max(from), tile_bytes_max(to))) {}

  base::Result<std::optional<Chain>> best() && {
    const Floors floors(from_, to_, prices_.machine());
    if (std::isinf(limit()) || floors.of_direct(limit()) <= limit())
      TESSERA_TRY_STATUS(consider(direct_move(from_, to_, exactly_)));
    if (best_ && best_->launches == 0) return std::optional<Chain>{std::move(best_->chain)};
    TESSERA_TRY_STATUS(consider_refinements(floors));
    if (to_.devices() <= kExactDevicesMax) TESSERA_TRY_STATUS(consider_rivals(floors));
    if (auto relay = relay_move(from_, to_, prices_.machine(), limit()))
      TESSERA_TRY_STATUS(consider(std::move(*relay)));
    if (!best_) return std::optional<Chain>{};
    return std::optional<Chain>{std::move(best_->chain)};
  }

 private:
  struct Candidate {
    Chain chain;
    double seconds = 0;
    std::int64_t launches = 0;
    std::int64_t received_bytes = 0;
  };
  static bool better(const Candidate& a, const Candidate& b) {
    return std::tuple(a.seconds, a.launches, a.received_bytes) < std::tuple(b.seconds, b.launches, b.received_bytes);
  }
  // A chain has to be as fast as this.
  double limit() const { return best_ ? best_->seconds : seconds_max_; }
  // One that takes so long at least is not worth its pricing. Many devices take long to price: there a refinement has
  // to promise more than a hair.
  double hopeless() const { return to_.devices() <= kFewDevices ? limit() : kWorthTrying * limit(); }

  // Prices the chain as far as it can still win. Chains with an array beyond the bound are none of ours.
  base::Status consider(Chain chain) {
    Candidate candidate{std::move(chain)};
    ArrayType type = from_;
    for (const Collective& step : candidate.chain) {
      TESSERA_TRY(after, apply(step, type));
      if (tile_bytes_max(after) > bound_) return base::Done{};
      const StepCost price = prices_.of(step, type, after);
      candidate.seconds += price.seconds;
      candidate.received_bytes += price.received_bytes_total;
      candidate.launches += is_launch(step) ? 1 : 0;
      if (candidate.seconds > limit()) return base::Done{};
      type = after;
    }
    if (!best_ || better(candidate, *best_)) best_ = std::move(candidate);
    return base::Done{};
  }

  base::Status consider_refinements(const Floors& floors) {
    Refinements refinements(from_, to_, prices_.machine());
    while (floors.of_two_launches() < limit()) {
      const auto refined = refinements.next();
      if (!refined) return base::Done{};
      if (floors.of_refinement(refined->type, refined->inside, hopeless()) >= hopeless()) continue;
      Chain chain = direct_move(from_, refined->type, true);
      const Chain gather = direct_move(refined->type, to_, exactly_);
      chain.insert(chain.end(), gather.begin(), gather.end());
      TESSERA_TRY_STATUS(consider(std::move(chain)));
    }
    return base::Done{};
  }

  // Their chains are as good as any where they keep the bound; that a rival cannot is no error here.
  base::Status consider_rivals(const Floors& floors) {
    std::vector<std::vector<ArrayType>> met;
    if (best_) met.push_back(types_of(best_->chain));
    for (const Planner rival : {Planner::shardy, Planner::paper, Planner::dtensor, Planner::gather, Planner::xla}) {
      if (floors.of_one_launch() >= limit()) return base::Done{};
      auto chain = rival_chain(from_, to_, rival);
      if (!chain.ok()) continue;
      std::vector<ArrayType> types = types_of(*chain);
      if (exactly_ && types.back() != to_) continue;
      if (std::find(met.begin(), met.end(), types) != met.end()) continue;
      if (floors.of_moves(types, limit()) < limit()) TESSERA_TRY_STATUS(consider(std::move(*chain)));
      met.push_back(std::move(types));
    }
    return base::Done{};
  }
  // The types that a chain passes through, both ends included.
  std::vector<ArrayType> types_of(const Chain& chain) const {
    std::vector<ArrayType> types{from_};
    for (const Collective& step : chain) {
      auto after = apply(step, types.back());
      if (!after.ok()) break;
      types.push_back(std::move(*after));
    }
    return types;
  }

  const ArrayType& from_;
  const ArrayType& to_;
  bool exactly_;
  Prices& prices_;
  double seconds_max_;
  std::int64_t bound_;
  std::optional<Candidate> best_;
};

}  // namespace

base::Result<std::optional<Chain>> best_move(const ArrayType& from, const ArrayType& to, bool exactly, Prices& prices,
                                             double seconds_max) {
  return Portfolio(from, to, exactly, prices, seconds_max).best();
}

}  // namespace tessera::synth
