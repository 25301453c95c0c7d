#include "synth/planner/by_digits.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/stop_scope.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/planner/digit_prices.hpp"
#include "synth/planner/pieces.hpp"
#include "synth/planner/refinements.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

// So many digits are cut from ends that have fewer. Of more than the last number there are too many orders.
constexpr std::size_t kDigitsWanted = 4;
constexpr std::size_t kDigitsMax = 6;
constexpr std::size_t kMovingDimensionsMax = 9;  // that any of them cuts
constexpr std::size_t kPermutesMax = 24;         // that are priced
// A search ends without a chain after so many cuttings, each counted as often as it was met, or after a part of what
// planning may still take: it is one of many ways.
constexpr std::int64_t kReachedMax = 400'000;
constexpr std::int64_t kPartOfTheWork = 4;
constexpr std::int64_t kNanosecondsOfReach = 150;

bool is_cut_evenly(const ArrayType& type) {
  const auto is_even = [](const AxisPart& part) { return part.cut == 0; };
  return std::all_of(type.layout().splits().begin(), type.layout().splits().end(),
                     [&](const AxisList& list) { return std::all_of(list.begin(), list.end(), is_even); });
}

// The fastest chain, found among all in the order of their seconds.
class DigitSearch {
 public:
  DigitSearch(const Ends& ends, const DigitPrices& digit_prices, const ArrayType& from, const ArrayType& to,
              double seconds, Prices& prices)
      : ends_(ends),
        prices_(digit_prices),
        all_prices_(prices),
        from_type_(from),
        to_type_(to),
        seconds_max_(seconds),
        reached_max_(std::min(kReachedMax, prices.work_left() / kPartOfTheWork / kNanosecondsOfReach)) {
    array_bytes_ = static_cast<double>(array_bytes(from)) / ends.staying();
    from_ = numbered(ends.from());
    to_ = numbered(ends.to());
    tile_bytes_max_ = std::max(tile_bytes(from_), tile_bytes(to_)) * kAlmost;
  }

  std::optional<Chain> run() {
    reach(from_, 0, Step{});
    while (!queue_.empty()) {
      base::look_for_stop();
      if (reached_ > reached_max_) return std::nullopt;
      const Entry next = queue_.top();
      queue_.pop();
      if (next.is_permute) {
        permute(next.number);
        continue;
      }
      if (next.seconds > nodes_[next.number].seconds) continue;
      if (nodes_[next.number].at == to_) return chain_to(next.number);
      expand(next.number);
    }
    return std::nullopt;
  }

 private:
  static constexpr double kAlmost = 1.000001;  // products are taken in several orders

  using Digit = std::uint8_t;
  using Digits = base::FixedVector<Digit, kDigitsMax>;
  using Cutting = base::FixedVector<Digits, kMovingDimensionsMax>;
  enum class Effect : std::uint8_t { slice, all_gather, all_to_all, permute };
  struct Step {
    Effect effect = Effect::permute;
    std::size_t before = 0;  // the node before it
    std::size_t from = 0;    // dimensions
    std::size_t to = 0;
    Digits digits;
  };
  struct Node {
    Cutting at;
    double seconds = 0;
    Step step;
  };
  // A node, or the permute from a node to the end, which takes as long as that at least.
  struct Entry {
    double seconds = 0;
    std::size_t number = 0;
    bool is_permute = false;
    bool operator<(const Entry& other) const {
      return std::tie(seconds, number) > std::tie(other.seconds, other.number);
    }
  };

  Cutting numbered(const std::vector<PieceList>& end) const {
    Cutting cutting;
    for (const PieceList& list : end) {
      Digits digits;
      for (const Piece piece : list) {
        const auto found = std::find(ends_.moving().begin(), ends_.moving().end(), piece);
        digits.push_back(static_cast<Digit>(found - ends_.moving().begin()));
      }
      cutting.push_back(digits);
    }
    return cutting;
  }
  static DigitSet set_of(const Digits& digits) {
    DigitSet set = 0;
    for (const Digit digit : digits) set |= DigitSet{1} << digit;
    return set;
  }
  static DigitSet used(const Cutting& at) {
    DigitSet set = 0;
    for (const Digits& digits : at) set |= set_of(digits);
    return set;
  }
  double tile_bytes(const Cutting& at) const { return array_bytes_ / prices_.size(used(at)); }

  void expand(std::size_t number) {
    const Cutting at = nodes_[number].at;
    const double seconds = nodes_[number].seconds;
    const double bytes = tile_bytes(at);
    if (may_permute(at)) queue_.push(Entry{seconds + prices_.of_least(), number, true});
    for (std::size_t d = 0; d < at.size(); ++d) {
      slice(number, at, d);
      for (std::size_t left = 0; left < at[d].size(); ++left) leave(number, at, bytes, d, left);
    }
  }
  void slice(std::size_t number, const Cutting& at, std::size_t d) {
    for (DigitSet free = set_of(to_[d]) & ~used(at); free != 0; free &= free - 1) {
      Step step{Effect::slice, number, d, d, {}};
      step.digits.push_back(static_cast<Digit>(std::countr_zero(free)));
      Cutting after = at;
      after[d].push_back(step.digits[0]);
      reach(after, nodes_[number].seconds, step);
    }
  }
  // All digits of a dimension but so many go to another one, or are gathered.
  void leave(std::size_t number, const Cutting& at, double bytes, std::size_t d, std::size_t left) {
    Step step{Effect::all_to_all, number, d, d, {}};
    Cutting rest = at;
    rest[d].clear();
    for (std::size_t i = 0; i < at[d].size(); ++i) (i < left ? rest[d] : step.digits).push_back(at[d][i]);
    const DigitSet leaving = set_of(step.digits);
    const double seconds = nodes_[number].seconds;
    const double moved = seconds + prices_.of_all_to_all(leaving, bytes);
    for (std::size_t e = 0; moved < seconds_max_ && e < at.size(); ++e) {
      if (e == d) continue;
      Cutting after = rest;
      for (const Digit digit : step.digits) after[e].push_back(digit);
      step.to = e;
      reach(after, moved, step);
    }
    if ((leaving & used(to_)) != 0 || tile_bytes(rest) > tile_bytes_max_) return;
    step.effect = Effect::all_gather;
    reach(rest, seconds + prices_.of_all_gather(leaving, bytes), step);
  }
  bool may_permute(const Cutting& at) const {
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (prices_.size(set_of(at[d])) != prices_.size(set_of(to_[d]))) return false;
    }
    return true;
  }

  void permute(std::size_t number) {
    if (permutes_ == kPermutesMax) return;
    ++permutes_;
    const Cutting at = nodes_[number].at;
    std::vector<AxisList> splits = from_type_.layout().splits();
    for (std::size_t d = 0; d < at.size(); ++d) {
      const std::size_t dimension = ends_.dimensions()[d];
      splits[dimension] = concatenated(ends_.begins()[dimension], axes_of(at[d]));
    }
    const Layout& layout = from_type_.layout();
    const auto cut = Layout::make(from_type_.mesh(), std::move(splits), layout.pending(), layout.reduce());
    const auto type = cut.ok() ? from_type_.with_layout(*cut) : base::Result<ArrayType>(cut.errors());
    const Collective step = permute_step(to_type_);
    if (!type.ok() || !apply(step, *type).ok()) return;
    const double seconds = nodes_[number].seconds + all_prices_.of(step, *type, to_type_).seconds;
    reach(to_, seconds, Step{Effect::permute, number, 0, 0, {}});
  }

  // Four bits for every digit, and for the end of a dimension.
  static std::uint64_t key(const Cutting& at) {
    constexpr std::uint64_t kEnd = 15;
    std::uint64_t key = 0;
    for (const Digits& digits : at) {
      for (const Digit digit : digits) key = key << 4U | (digit + 1U);
      key = key << 4U | kEnd;
    }
    return key;
  }
  void reach(const Cutting& at, double seconds, const Step& step) {
    if (seconds >= seconds_max_) return;
    ++reached_;
    all_prices_.worked(kNanosecondsOfReach);
    const auto [known, is_new] = numbers_.emplace(key(at), nodes_.size());
    if (is_new) {
      nodes_.push_back(Node{at, seconds, step});
    } else {
      Node& node = nodes_[known->second];
      if (node.seconds <= seconds) return;
      node.seconds = seconds;
      node.step = step;
    }
    queue_.push(Entry{seconds, known->second, false});
  }

  Chain chain_to(std::size_t number) const {
    Chain chain;
    for (; number != 0; number = nodes_[number].step.before) chain.push_back(collective(nodes_[number].step));
    std::reverse(chain.begin(), chain.end());
    return chain;
  }
  AxisList axes_of(const Digits& digits) const {
    PieceList pieces;
    for (const Digit digit : digits) pieces.push_back(ends_.moving()[digit]);
    return ends_.pieces().axes(pieces);
  }
  Collective collective(const Step& step) const {
    AxisList axes = axes_of(step.digits);
    const std::size_t from = ends_.dimensions()[step.from];
    const std::size_t to = ends_.dimensions()[step.to];
    switch (step.effect) {
      case Effect::slice: return slice_step(std::move(axes), to);
      case Effect::all_gather: return all_gather_step(std::move(axes), from);
      case Effect::all_to_all: return all_to_all_step(std::move(axes), from, to);
      case Effect::permute: return permute_step(to_type_);
    }
    return {};
  }

  const Ends& ends_;
  const DigitPrices& prices_;
  Prices& all_prices_;
  const ArrayType& from_type_;
  const ArrayType& to_type_;
  double seconds_max_;
  double array_bytes_ = 0;  // cut by the digits that stay
  double tile_bytes_max_ = 0;
  Cutting from_;
  Cutting to_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
  std::priority_queue<Entry> queue_;  // the top is the largest: the fewest seconds, then what was met first
  std::size_t permutes_ = 0;
  std::int64_t reached_ = 0;
  std::int64_t reached_max_;
};

}  // namespace

namespace {

std::optional<Chain> fastest_by_digits(const ArrayType& from, const ArrayType& to, Prices& prices, double seconds,
                                       Grain grain) {
  if (from.mesh() != to.mesh() || !is_cut_evenly(from) || !is_cut_evenly(to)) return std::nullopt;
  const auto pieces = Pieces::of(from, to, grain);
  if (!pieces) return std::nullopt;
  Ends ends(from, to, *pieces);
  const Cluster cluster(prices.machine());
  ends.cut_at(cluster.unit_sizes());
  ends.cut_into(kDigitsWanted);
  const std::size_t digits = ends.moving().size();
  if (digits < 2 || digits > kDigitsMax || ends.dimensions().size() > kMovingDimensionsMax) return std::nullopt;
  const DigitPrices digit_prices(ends, cluster);
  auto chain = DigitSearch(ends, digit_prices, from, to, seconds, prices).run();
  return chain && chain->size() > 1 ? std::move(chain) : std::nullopt;
}

}  // namespace

std::optional<Chain> move_by_digits(const ArrayType& from, const ArrayType& to, Prices& prices, double seconds) {
  if (is_assumed(prices.machine())) return std::nullopt;
  return fastest_by_digits(from, to, prices, seconds / kWorthDigits, Grain::coarse);
}

std::optional<Chain> move_by_prime_digits(const ArrayType& from, const ArrayType& to, Prices& prices) {
  return fastest_by_digits(from, to, prices, std::numeric_limits<double>::infinity(), Grain::prime);
}

}  // namespace tessera::synth
