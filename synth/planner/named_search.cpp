#include "synth/planner/named_search.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "base/stop_scope.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/floors.hpp"
#include "synth/planner/pieces.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

// So many layouts are looked at and so many steps priced; then the search is given up. A price takes as long as there
// are devices. Meshes of up to five pieces are below, with arrays of up to three dimensions; of more there are so many
// ways that few prices find none.
constexpr std::size_t kLayoutsMax = 6'000;
constexpr std::size_t kPermutesOfOneMax = 1'500;  // from one layout
constexpr std::int64_t kNamedPricesMax = 1'500;
constexpr std::size_t kFewPieces = 5;
constexpr std::int64_t kPricedDevicesMax = 2'500'000;  // in all prices together, of few pieces

using Cutting = std::vector<PieceList>;  // of every dimension

struct Move {
  Collective step;
  Cutting after;
};

// The steps that may be taken from a layout.
class Moves {
 public:
  explicit Moves(const Pieces& pieces) : pieces_(pieces) {}

  std::vector<Move> from(const Cutting& splits, const ArrayType& type) {
    moves_.clear();
    for (std::size_t d = 0; d < splits.size(); ++d) {
      add_slices(splits, d);
      add_leaving(splits, d);
    }
    add_permutes(splits, type);
    return std::move(moves_);
  }

 private:
  bool is_free(const Cutting& splits, Piece piece) const {
    return std::none_of(splits.begin(), splits.end(), [&](const PieceList& list) { return holds(list, piece); });
  }
  std::vector<Piece> free_pieces(const Cutting& splits) const {
    std::vector<Piece> found;
    for (std::size_t i = 0; i < pieces_.count(); ++i) {
      if (is_free(splits, static_cast<Piece>(i))) found.push_back(static_cast<Piece>(i));
    }
    return found;
  }

  void add_slices(const Cutting& splits, std::size_t d) {
    for (const Piece piece : free_pieces(splits)) {
      Cutting after = splits;
      after[d].push_back(piece);
      moves_.push_back({slice_step(pieces_.axes(PieceList{piece}), d), std::move(after)});
    }
  }

  // All-gathers of dimension d's minor pieces, and all-to-alls that bring them elsewhere.
  void add_leaving(const Cutting& splits, std::size_t d) {
    for (std::size_t stay = 0; stay < splits[d].size(); ++stay) {
      Cutting rest = splits;
      PieceList leaving;
      rest[d] = PieceList{};
      for (std::size_t i = 0; i < splits[d].size(); ++i) (i < stay ? rest[d] : leaving).push_back(splits[d][i]);
      moves_.push_back({all_gather_step(pieces_.axes(leaving), d), rest});
      for (std::size_t to = 0; to < splits.size(); ++to) {
        if (to == d) continue;
        Cutting after = rest;
        append(after[to], leaving);
        moves_.push_back({all_to_all_step(pieces_.axes(leaving), d, to), std::move(after)});
      }
    }
  }

  // All layouts with as many tiles in every dimension.
  void add_permutes(const Cutting& splits, const ArrayType& type) {
    Cutting empty(splits.size());
    fill_dimension(splits, 0, empty, type);
  }
  void fill_dimension(const Cutting& splits, std::size_t d, Cutting& made, const ArrayType& type) {
    if (d == splits.size()) return add_permute(splits, made, type);
    fill(splits, d, pieces_.size(splits[d]), made, type);
  }
  void fill(const Cutting& splits, std::size_t d, std::int64_t left, Cutting& made, const ArrayType& type) {
    if (left == 1) return fill_dimension(splits, d + 1, made, type);
    for (std::size_t i = 0; i < pieces_.count(); ++i) {
      const auto piece = static_cast<Piece>(i);
      if (left % pieces_.size(piece) != 0 || !is_free(made, piece) || moves_.size() > kPermutesOfOneMax) continue;
      if (is_pending(type, piece)) continue;
      made[d].push_back(piece);
      fill(splits, d, left / pieces_.size(piece), made, type);
      made[d].pop_back();
    }
  }
  bool is_pending(const ArrayType& type, Piece piece) const {
    const AxisList& pending = type.layout().pending();
    return std::any_of(pending.begin(), pending.end(),
                       [&](const AxisPart& p) { return overlap(p, pieces_.part(piece)); });
  }
  void add_permute(const Cutting& splits, const Cutting& made, const ArrayType& type) {
    if (made == splits) return;
    std::vector<AxisList> axes;
    for (const PieceList& list : made) axes.push_back(pieces_.axes(list));
    const auto& layout = type.layout();
    auto target = Layout::make(type.mesh(), std::move(axes), layout.pending(), layout.reduce());
    if (!target.ok()) return;
    const auto after = type.with_layout(std::move(*target));
    if (after.ok()) moves_.push_back({permute_step(*after), made});
  }

  const Pieces& pieces_;
  std::vector<Move> moves_;
};

// A layout that was met, and the best known way there.
struct Node {
  ArrayType type;
  double still = 0;      // the least that is to be paid from here
  bool settled = false;  // the way is the best there is
};

// The figures to make small, in this order: seconds, launches, bytes; or the peak first.
using Cost = std::tuple<double, std::int64_t, std::int64_t>;

class NamedSearch {
 public:
  NamedSearch(const ArrayType& from, const ArrayType& to, bool exactly, const RunMachine* machine,
              const SearchLimits& limits)
      : from_(from), to_(to), exactly_(exactly), machine_(machine), limits_(limits) {}

  double least() const { return std::get<0>(found_->paid); }

  // Gives the chain; nothing where there is none, or none was found in time.
  std::optional<Chain> run() {
    const auto pieces = Pieces::of(from_, to_, Grain::prime);
    if (!pieces) return std::nullopt;
    Moves moves(*pieces);
    const std::int64_t of_few = pieces->count() <= kFewPieces ? kPricedDevicesMax / from_.devices() : 0;
    const std::int64_t prices_max = std::max(kNamedPricesMax, of_few);
    meet(from_.layout().splits(), *pieces);
    while (!queue_.empty()) {
      base::look_for_stop();
      const Entry entry = queue_.top();
      queue_.pop();
      Node& node = nodes_.at(ways_[entry.way].at);
      if (node.settled) continue;
      if (!entry.is_priced) {
        if (!price(entry)) continue;
        if (priced_ > prices_max) return std::nullopt;
        continue;
      }
      node.settled = true;
      if (is_target(node.type)) return chain_to(entry.way);
      if (nodes_.size() > kLayoutsMax) return std::nullopt;
      expand(entry.way, moves);
    }
    return std::nullopt;
  }

 private:
  struct SearchNode {  // a step, and the way before it
    Cutting at;
    std::size_t before = 0;
    Collective step;
    Cost paid{};
  };
  struct Entry {
    Cost estimate;
    std::size_t way = 0;
    bool is_priced = false;
    // The queue's top is its largest: the smallest estimate, then what was met first.
    bool operator<(const Entry& other) const { return std::tie(estimate, way) > std::tie(other.estimate, other.way); }
  };

  bool is_target(const ArrayType& type) const { return exactly_ ? type == to_ : same_type(type, to_); }

  void meet(const std::vector<AxisList>& axes, const Pieces& pieces) {
    Cutting splits;
    for (const AxisList& list : axes) splits.push_back(pieces.list(list));
    nodes_.emplace(splits, Node{from_, 0});
    ways_.push_back(SearchNode{splits, 0, {}, {}});
    queue_.push(Entry{{}, 0, true});
  }

  void expand(std::size_t way, Moves& moves) {
    const Cutting at = ways_[way].at;
    const ArrayType type = nodes_.at(at).type;
    for (Move& move : moves.from(at, type)) offer(way, type, std::move(move));
  }

  void offer(std::size_t before, const ArrayType& type, Move move) {
    auto known = nodes_.find(move.after);
    if (known == nodes_.end()) {
      auto after = apply(move.step, type);
      if (!after.ok() || tile_bytes_max(*after) > limits_.array_bytes_max) return;
      const double still = machine_ == nullptr ? 0 : Floors(*after, to_, *machine_).of_any();
      known = nodes_.emplace(move.after, Node{*after, still}).first;
    }
    if (known->second.settled) return;
    const Cost paid = ways_[before].paid;
    const double least = std::get<0>(paid) + known->second.still;
    if (least > limits_.seconds_max) return;
    ways_.push_back(SearchNode{move.after, before, std::move(move.step), paid});
    queue_.push(Entry{{least, std::get<1>(paid), std::get<2>(paid)}, ways_.size() - 1, false});
  }

  // Puts the way back with what it truly costs; false if that is too much.
  bool price(const Entry& entry) {
    SearchNode& way = ways_[entry.way];
    const ArrayType& before = nodes_.at(ways_[way.before].at).type;
    const Node& node = nodes_.at(way.at);
    const auto peak = step_peaks({way.step}, before);
    if (!peak.ok() || peak->front() > limits_.peak_bytes_max) return false;
    auto& [seconds, launches, bytes] = way.paid;
    if (machine_ == nullptr) {
      seconds = std::max(seconds, static_cast<double>(peak->front()));
    } else {
      ++priced_;
      const StepCost price = cost(*machine_, way.step, before, node.type);
      seconds += price.seconds;
      bytes += price.received_bytes_total;
    }
    launches += is_launch(way.step) ? 1 : 0;
    if (seconds + node.still > limits_.seconds_max) return false;
    queue_.push(Entry{{seconds + node.still, launches, bytes}, entry.way, true});
    return true;
  }

  Chain chain_to(std::size_t way) {
    found_ = ways_[way];
    Chain chain;
    for (; way != 0; way = ways_[way].before) chain.push_back(ways_[way].step);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  const ArrayType& from_;
  const ArrayType& to_;
  bool exactly_;
  const RunMachine* machine_;  // none: the peak counts
  SearchLimits limits_;
  std::map<Cutting, Node> nodes_;
  std::vector<SearchNode> ways_;
  std::priority_queue<Entry> queue_;
  std::optional<SearchNode> found_;
  std::int64_t priced_ = 0;
};

}  // namespace

std::optional<Chain> fastest_named_chain(const ArrayType& from, const ArrayType& to, bool exactly,
                                         const RunMachine& machine, const SearchLimits& limits) {
  return NamedSearch(from, to, exactly, &machine, limits).run();
}

std::optional<std::int64_t> least_named_peak(const ArrayType& from, const ArrayType& to, bool exactly) {
  NamedSearch search(from, to, exactly, nullptr, {});
  if (!search.run()) return std::nullopt;
  return static_cast<std::int64_t>(search.least());
}

}  // namespace tessera::synth
