#include "synth/planner/by_digits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/stop_scope.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/planner/pieces.hpp"
#include "synth/planner/refinements.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

// Digits of more positions are cut further where units of the machine have not cut them: a launch among fewer devices
// is not worth two. Of more digits than the last number there are too many orders.
constexpr std::int64_t kFewPositions = 8;
constexpr std::size_t kDigitsWanted = 4;
constexpr std::size_t kDigitsMax = 6;
constexpr std::size_t kMovingDimensionsMax = 9;  // that any of them cuts
constexpr std::size_t kPermutesMax = 24;         // that are priced
// A search ends without a chain after so many cuttings, each counted as often as it was met, or after a part of what
// planning may still take: it is one of many ways.
constexpr std::int64_t kReachedMax = 400'000;
constexpr std::int64_t kPartOfTheWork = 4;
constexpr std::int64_t kNanosecondsOfReach = 150;

// The larger one of the two factors that are nearest each other; the number itself where it is prime.
std::int64_t larger_factor(std::int64_t number) {
  for (auto factor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number))); factor > 1; --factor) {
    if (number % factor == 0) return number / factor;
  }
  return number;
}

bool is_cut_evenly(const ArrayType& type) {
  const auto is_even = [](const AxisPart& part) { return part.cut == 0; };
  return std::all_of(type.layout().splits().begin(), type.layout().splits().end(),
                     [&](const AxisList& list) { return std::all_of(list.begin(), list.end(), is_even); });
}

// Both ends of a move in digits of the mesh. Those with which a dimension begins at both ends stay where they are; the
// others move, from one dimension to another or between one and none.
class Ends {
 public:
  Ends(const ArrayType& from, const ArrayType& to, const Pieces& pieces) : mesh_(from.mesh()), pieces_(pieces) {
    for (std::size_t d = 0; d < from.rank(); ++d) {
      const PieceList before = pieces_.list(from.layout().split(d));
      const PieceList after = pieces_.list(to.layout().split(d));
      std::size_t same = 0;
      while (same < std::min(before.size(), after.size()) && before[same] == after[same]) ++same;
      if (std::max(before.size(), after.size()) > same) {
        from_.emplace_back(before.begin() + same, before.end());
        to_.emplace_back(after.begin() + same, after.end());
        dimensions_.push_back(d);
      }
      const PieceList begin(before.begin(), before.begin() + same);
      staying_ *= static_cast<double>(pieces_.size(begin));
      begins_.push_back(pieces_.axes(begin));
    }
    for (const std::vector<PieceList>* const end : {&from_, &to_}) {
      for (const PieceList& list : *end) {
        for (const Piece piece : list) note(piece);
      }
    }
  }

  void cut_at(const std::vector<std::int64_t>& units) {
    for (std::size_t i = 0, count = moving_.size(); i < count; ++i) {
      Piece piece = moving_[i];
      const AxisList parts = cut_at_units(mesh_, pieces_.part(piece), units);
      for (std::size_t k = 0; k + 1 < parts.size(); ++k) piece = split(piece, parts[k].size);
    }
  }
  // Cuts the largest digits until there are so many.
  void cut_into(std::size_t digits) {
    while (!moving_.empty() && moving_.size() < digits) {
      const auto is_smaller = [&](Piece a, Piece b) { return minor_part(a) < minor_part(b); };
      const Piece largest = *std::max_element(moving_.begin(), moving_.end(), is_smaller);
      if (minor_part(largest) == 1) return;
      split(largest, pieces_.size(largest) / minor_part(largest));
    }
  }

  const Mesh& mesh() const { return mesh_; }
  const Pieces& pieces() const { return pieces_; }
  // The dimensions that are cut otherwise, and the digits of each that move.
  const std::vector<std::size_t>& dimensions() const { return dimensions_; }
  const std::vector<PieceList>& from() const { return from_; }
  const std::vector<PieceList>& to() const { return to_; }
  const std::vector<Piece>& moving() const { return moving_; }
  // Positions along the digits that stay.
  double staying() const { return staying_; }
  // What every dimension of the array begins with at both ends.
  const std::vector<AxisList>& begins() const { return begins_; }

 private:
  void note(Piece piece) {
    if (std::find(moving_.begin(), moving_.end(), piece) == moving_.end()) moving_.push_back(piece);
  }
  // What would be the minor one if a digit were cut in two; 1 where it is not.
  std::int64_t minor_part(Piece piece) const {
    const std::int64_t size = pieces_.size(piece);
    const std::int64_t larger = larger_factor(size);
    return size <= kFewPositions || larger == size ? 1 : larger;
  }
  Piece split(Piece piece, std::int64_t major_size) {
    const Piece minor = pieces_.split(piece, major_size);
    for (std::vector<PieceList>* const end : {&from_, &to_}) {
      for (PieceList& list : *end) insert_after(list, piece, minor);
    }
    moving_.push_back(minor);
    return minor;
  }

  const Mesh& mesh_;
  Pieces pieces_;
  std::vector<std::size_t> dimensions_;
  std::vector<PieceList> from_;
  std::vector<PieceList> to_;
  std::vector<Piece> moving_;
  double staying_ = 1;
  std::vector<AxisList> begins_;
};

// What launches take if all tiles have one size. Digits are numbers from 0 on, their sets bits.
using DigitSet = std::uint32_t;

class DigitPrices {
 public:
  DigitPrices(const Ends& ends, const Cluster& cluster) {
    for (const Cluster::Level& level : cluster.levels()) {
      Level& of = levels_.emplace_back(
          Level{level.delay(), static_cast<double>(level.unit_devices) / level.least_bandwidth(), 0});
      for (std::size_t i = 0; i < ends.moving().size(); ++i) {
        const AxisPart& part = ends.pieces().part(ends.moving()[i]);
        if (stride_of(ends.mesh(), part) * part.size <= level.unit_devices) of.inside |= DigitSet{1} << i;
      }
    }
    for (const Piece piece : ends.moving()) sizes_.push_back(static_cast<double>(ends.pieces().size(piece)));
  }

  double size(DigitSet digits) const {
    double product = 1;
    for (; digits != 0; digits &= digits - 1) product *= sizes_[static_cast<std::size_t>(std::countr_zero(digits))];
    return product;
  }
  // `bytes`: of a tile before the launch.
  double of_all_to_all(DigitSet digits, double bytes) const {
    const double members = size(digits);
    return of_launch(members - 1, bytes, digits, [&](double inside) { return 1 - inside / members; });
  }
  double of_all_gather(DigitSet digits, double bytes) const {
    const double members = size(digits);
    return of_launch(members - 1, bytes, digits, [&](double inside) { return members - inside; });
  }
  // Less than any launch takes.
  double of_least() const {
    double least = std::numeric_limits<double>::infinity();
    for (const Level& level : levels_) least = std::min(least, level.delay.of(1));
    return least;
  }

 private:
  struct Level {
    Delay delay;
    double seconds_per_byte = 0;  // that every device of a unit sends over its link
    DigitSet inside = 0;          // the digits all of whose positions a unit has
  };

  // crossing(positions inside a unit) is how many tiles a device sends to other units.
  template <class Crossing>
  double of_launch(double peers, double bytes, DigitSet digits, Crossing&& crossing) const {
    Delay delay;
    double busiest = 0;
    for (const Level& level : levels_) {
      if ((digits & ~level.inside) == 0) continue;
      delay = std::max(delay, level.delay);
      busiest = std::max(busiest, level.seconds_per_byte * bytes * crossing(size(digits & level.inside)));
    }
    return delay.of(peers) + busiest;
  }

  std::vector<Level> levels_;
  std::vector<double> sizes_;  // of every digit
};

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
