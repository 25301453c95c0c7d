#include "synth/planner/portfolio.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/planner/by_digits.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/choice.hpp"
#include "synth/planner/floors.hpp"
#include "synth/planner/refinements.hpp"
#include "synth/planner/relays.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/sum_steps.hpp"
#include "synth/planner/sums.hpp"

namespace tessera::synth {

namespace {

constexpr double kWorthTrying = 0.98;

// The moves that may follow a way, each with what is kept in the end.
class Portfolio {
 public:
  Portfolio(const Way& way, const ArrayType& to, const Chain& keep, Prices& prices, Choice& choice)
      : way_(way), to_(to), keep_(keep), exactly_(!keep.empty()), prices_(prices), choice_(choice) {}

  base::Status run() {
    const Floors floors(from(), to_, prices_.machine());
    prices_.worked(Floors::work(to_, prices_.machine()));
    if (!is_hopeless(floors.of_direct(most()), floors.least_bytes())) {
      TESSERA_TRY_STATUS(consider(direct_move(from(), to_, exactly_)));
    }
    if (floors.of_any() == 0) return base::Done{};  // nothing is missing anywhere
    has_move_ = true;
    if (!prices_.may_go_on()) return base::Done{};
    TESSERA_TRY_STATUS(consider_by_digits(floors));
    Refinements refinements(from(), to_, prices_.machine());
    TESSERA_TRY_STATUS(consider_refinements(floors, refinements));
    TESSERA_TRY_STATUS(consider_levels(floors, refinements));
    if (to_.devices() <= kExactDevicesMax) TESSERA_TRY_STATUS(consider_rivals(floors));
    return base::Done{};
  }
  // Is there anything to move?
  bool has_move() const { return has_move_; }
  // The time of the fastest chain considered that can be chosen.
  double fastest_seconds() const { return fastest_seconds_; }
  base::Status relay() {
    auto found = relay_move(from(), to_, prices_, choice_.fastest_seconds() - way_.seconds);
    if (!found) return base::Done{};
    const ArrayType* target = target_of(found->back());
    if (exactly_ && (target == nullptr || *target != to_)) return base::Done{};
    return consider(std::move(*found));
  }

 private:
  const ArrayType& from() const { return way_.type; }
  // A move may take so long.
  double most() const { return choice_.seconds_max() - way_.seconds; }
  bool is_hopeless(double seconds_least, std::int64_t bytes_least) const {
    return choice_.is_hopeless(way_.seconds + seconds_least, way_.received_bytes + bytes_least);
  }
  // Many devices take long to price: there a refinement has to promise more than a hair.
  double worth_trying() const {
    return to_.devices() <= kFewDevices ? most() : choice_.fastest_seconds() * kWorthTrying - way_.seconds;
  }

  base::Status consider(Chain move) {
    move.insert(move.end(), keep_.begin(), keep_.end());
    TESSERA_TRY_STATUS(choice_.consider(way_, move));
    fastest_seconds_ = std::min(fastest_seconds_, choice_.newest_seconds());
    return base::Done{};
  }

  base::Status consider_by_digits(const Floors& floors) {
    if (floors.of_two_launches() * kWorthDigits > most()) return base::Done{};
    auto moved = move_by_digits(from(), to_, prices_, most());
    return moved ? consider(std::move(*moved)) : base::Done{};
  }

  base::Status consider_refinements(const Floors& floors, Refinements& refinements) {
    while (floors.of_two_launches() <= most() && prices_.may_go_on()) {
      if (floors.holds_a_target() && is_hopeless(floors.of_two_launches(), floors.least_bytes() + 1)) {
        return base::Done{};
      }
      const auto refined = refinements.next();
      if (!refined) return base::Done{};
      const double least = floors.of_refinement(refined->type, refined->inside, worth_trying());
      if (least > worth_trying()) continue;
      if (is_hopeless(least, 0) || is_hopeless(least, floors.bytes_of_refinement(refined->type))) continue;
      Chain chain = direct_move(from(), refined->type, true);
      const Chain gather = direct_move(refined->type, to_, exactly_);
      chain.insert(chain.end(), gather.begin(), gather.end());
      TESSERA_TRY_STATUS(consider(std::move(chain)));
    }
    return base::Done{};
  }

  // An exchange into what lies beyond the outermost units, and a gather on each level inside.
  base::Status consider_levels(const Floors& floors, const Refinements& refinements) {
    if (is_hopeless(floors.of_two_launches(), floors.least_bytes())) return base::Done{};
    for (const std::vector<ArrayType>& refined : refinements.by_levels()) {
      std::vector<ArrayType> types{from()};
      types.insert(types.end(), refined.begin(), refined.end());
      types.push_back(to_);
      if (is_hopeless(floors.of_moves(types, worth_trying()), floors.least_bytes())) continue;
      Chain chain;
      for (std::size_t i = 1; i < types.size(); ++i)
        append(chain, direct_move(types[i - 1], types[i], i + 1 < types.size() || exactly_));
      TESSERA_TRY_STATUS(consider(std::move(chain)));
    }
    return base::Done{};
  }

  // Their chains are as good as any where they keep the bound; that a rival cannot is no error here.
  base::Status consider_rivals(const Floors& floors) {
    std::vector<std::vector<ArrayType>> met;
    for (const Planner rival : {Planner::shardy, Planner::paper, Planner::dtensor, Planner::gather, Planner::xla}) {
      if (is_hopeless(floors.of_one_launch(), floors.least_bytes())) return base::Done{};
      auto chain = rival_chain(from(), to_, rival, prices_.machine());
      if (!chain.ok()) continue;
      std::vector<ArrayType> types = types_of(*chain);
      if (exactly_ && types.back() != to_) continue;
      if (std::find(met.begin(), met.end(), types) != met.end()) continue;
      if (!is_hopeless(floors.of_moves(types, most()), floors.least_bytes())) {
        TESSERA_TRY_STATUS(consider(std::move(*chain)));
      }
      met.push_back(std::move(types));
    }
    return base::Done{};
  }
  // The types that a chain passes through, both ends included.
  std::vector<ArrayType> types_of(const Chain& chain) const {
    std::vector<ArrayType> types{from()};
    for (const Collective& step : chain) {
      auto after = apply(step, types.back());
      if (!after.ok()) break;
      types.push_back(std::move(*after));
    }
    return types;
  }

  const Way& way_;
  const ArrayType& to_;
  const Chain& keep_;
  bool exactly_;
  Prices& prices_;
  Choice& choice_;
  bool has_move_ = false;
  double fastest_seconds_ = std::numeric_limits<double>::infinity();
};

// Does the way make more axes part of the sum?
bool has_keep(const Way& way) {
  return std::any_of(way.steps.begin(), way.steps.end(),
                     [](const Collective& step) { return std::holds_alternative<Keep>(step.effect); });
}

// No array on a device is larger than the larger of both ends.
bool keeps_bound(const Chain& chain, const ArrayType& from, const ArrayType& to) {
  const std::int64_t bound = std::max(tile_bytes_max(from), tile_bytes_max(to));
  ArrayType type = from;
  for (const Collective& step : chain) {
    auto after = apply(step, type);
    if (!after.ok() || tile_bytes_max(*after) > bound) return false;
    type = std::move(*after);
  }
  return true;
}

// Rivals' plans for the whole change: where sums are finished or begun, and on so many devices that ways are not
// followed by what rivals would do. The rivals for sums are slow to price on many devices, and the search for the best
// program has met their plans anyway.
base::Status consider_rivals(const ArrayType& from, const ArrayType& to, const RunMachine& machine, Choice& choice) {
  for (const Planner rival : {Planner::dtensor, Planner::gather, Planner::shardy, Planner::paper, Planner::xla,
                              Planner::ring, Planner::smp, Planner::p2}) {
    const bool of_sums = rival == Planner::ring || rival == Planner::smp || rival == Planner::p2;
    if (of_sums && from.devices() > kFewDevices) break;
    const auto chain = rival_chain(from, to, rival, machine);
    if (chain.ok() && keeps_bound(*chain, from, to)) TESSERA_TRY_STATUS(choice.consider(Way{{}, from}, *chain));
  }
  return base::Done{};
}

}  // namespace

// All changes of pending axes that lead from the source to the target. A sum that stays pending moves as its parts, of
// which there are several; if it is finished and begun anew, only its values move. So axes that may stay pending may
// also be resolved and kept again.
std::vector<PendingChange> pending_changes(const ArrayType& from, const ArrayType& to) {
  constexpr std::size_t kAxesMax = 3;
  const PendingChange change = pending_change(from, to);
  std::vector<PendingChange> all;
  const std::size_t axes = std::min(change.common.size(), kAxesMax);
  for (std::size_t anew = 0; anew < std::size_t{1} << axes; ++anew) {
    PendingChange other{{}, change.resolve, change.keep};
    for (std::size_t i = 0; i < change.common.size(); ++i) {
      const AxisPart& part = change.common[i];
      if ((anew >> i & 1U) == 0) {
        other.common.push_back(part);
      } else {
        other.resolve.push_back(part);
        other.keep.push_back(part);
      }
    }
    other.resolve = canonical_set(std::move(other.resolve));
    other.keep = canonical_set(std::move(other.keep));
    all.push_back(std::move(other));
  }
  return all;
}

// Once a chain is found that can be chosen, no search outlasts its share of the work. On more devices than can be
// priced one by one searches are short, and are not ended: what is counted there is far more than what they take.
bool is_enough(std::int64_t devices, const Prices& prices, const Choice& choice) {
  return devices <= kExactDevicesMax && !prices.may_go_on() && std::isfinite(choice.seconds_max());
}

// The ways to bring the source to a pending set, each with the moves and what is kept after it. A relay takes long to
// find: only the fastest way that leaves something to move is followed by one, also where the search has ended early,
// since a relay may take half the time of the steps.
base::Status consider_all(const ArrayType& from, const KeptEnd& end, const PendingChange& change, Prices& prices,
                          Choice& choice) {
  const ArrayType& target = end.target;
  const Chain& keep = end.keep;
  Resolutions resolutions(from, target, change.resolve, prices);
  // The fastest such way on which more axes become part of the sum, and the fastest other: the former receive more.
  std::array<std::optional<Way>, 2> fastest;
  std::array<double, 2> seconds{};
  seconds.fill(std::numeric_limits<double>::infinity());
  const auto consider = [&](Way way) -> base::Status {
    const std::size_t kind = has_keep(way) ? 1 : 0;
    Portfolio of_way(way, target, keep, prices, choice);
    TESSERA_TRY_STATUS(of_way.run());
    if (!of_way.has_move() || of_way.fastest_seconds() >= seconds[kind]) return base::Done{};
    seconds[kind] = of_way.fastest_seconds();
    fastest[kind] = std::move(way);
    return base::Done{};
  };
  while (true) {
    TESSERA_TRY(way, resolutions.next(choice));
    if (!way) break;
    TESSERA_TRY_STATUS(consider(std::move(*way)));
    if (is_enough(from.devices(), prices, choice)) break;
  }
  // What the search has not come to may be as plain as one reduce_scatter for each dimension.
  if (resolutions.gave_up()) {
    const Chain plain = std::move(simple_resolutions(from, target, change.resolve).front());
    Way way{{}, from};
    for (const Collective& step : plain) TESSERA_TRY_STATUS(way.take(step, prices));
    if (!choice.is_hopeless(way.seconds, way.received_bytes)) TESSERA_TRY_STATUS(consider(std::move(way)));
  }
  for (const auto& way : fastest) {
    if (way) TESSERA_TRY_STATUS(Portfolio(*way, target, keep, prices, choice).relay());
  }
  return base::Done{};
}

base::Result<std::vector<Chain>> portfolio(const ArrayType& from, const ArrayType& to, Prices& prices, Resolve ways) {
  const PendingChange change = pending_change(from, to);
  std::vector<Chain> chosen;
  const auto add_best = [&](Choice& choice) -> base::Status {
    TESSERA_TRY(best, std::move(choice).best());
    if (best) chosen.push_back(std::move(*best));
    return base::Done{};
  };
  Choice choice(from, to, prices);
  const std::vector<PendingChange> changes = pending_changes(from, to);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    prices.begin_share(std::ssize(changes) - static_cast<std::int64_t>(i));
    TESSERA_TRY(ends, kept_ends(from, to, changes[i]));
    for (const KeptEnd& end : ends) {
      if (is_enough(from.devices(), prices, choice)) break;
      TESSERA_TRY_STATUS(consider_all(from, end, changes[i], prices, choice));
    }
  }
  if (from.devices() > kExactDevicesMax || !change.resolve.empty() || !change.keep.empty())
    TESSERA_TRY_STATUS(consider_rivals(from, to, prices.machine(), choice));
  std::vector<Chain> considered;
  if (ways == Resolve::every_way) considered = choice.considered();
  TESSERA_TRY_STATUS(add_best(choice));
  if (ways == Resolve::fastest) return chosen;
  chosen.insert(chosen.end(), std::make_move_iterator(considered.begin()), std::make_move_iterator(considered.end()));
  TESSERA_TRY(ends, kept_ends(from, to, change));
  for (const KeptEnd& end : ends) {
    for (const Chain& resolution : simple_resolutions(from, end.target, change.resolve)) {
      Way way{{}, from};
      for (const Collective& step : resolution) TESSERA_TRY_STATUS(way.take(step, prices));
      Choice of_way(from, to, prices);
      TESSERA_TRY_STATUS(Portfolio(way, end.target, end.keep, prices, of_way).run());
      TESSERA_TRY_STATUS(add_best(of_way));
    }
  }
  return chosen;
}

}  // namespace tessera::synth
