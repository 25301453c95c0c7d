// Follows Shardy's pass from reshards to collectives: up to two rounds of slice, permute, all_to_alls and all_gather,
// each taken greedily. Nothing is weighed; the few pairs that it leaves unfinished are answered so.
#include <numeric>
#include <utility>

#include "synth/planner/pieces.hpp"
#include "synth/planner/rivals/refusals.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/rivals/shardy_steps.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

bool one_divides_other(std::int64_t a, std::int64_t b) { return a % b == 0 || b % a == 0; }

// From one layout to another, as long as `in` or `out` of a dimension holds anything.
//   1. slice: unused pieces that are wanted, where dimensions have to be cut finer;
//   2. permute, if pieces stand where others are wanted: the dimensions keep their counts and get what belongs there;
//   3. all_to_alls: what is minor-most and wanted on another dimension goes there;
//   4. all_gather: what is minor-most and wanted nowhere leaves.
// `[x, y] -> [y, x]` on x:4,y:2 is permuted to `[(y, x:(2)2), x:(1)2]`, and x:(2)2 follows by an all_to_all.
class Resharding {
 public:
  Resharding(const ArrayType& from, const ArrayType& to, const Pieces& pieces);
  base::Result<Chain> run();

 private:
  bool done() const;

  // The dimension that wants the piece: its `out` holds it.
  std::optional<std::size_t> destination(Piece piece) const;
  bool in_use(Piece piece) const;

  void slice();
  void slice_riders(std::size_t source, PieceList& sliced);
  bool may_ride(const Dimension& source, const Dimension& target, std::size_t begin) const;
  void slice_at_home(Dimension& dimension, PieceList& sliced, PieceList& left_over);

  bool misplaced() const;
  bool misplaced_on(std::size_t number) const;
  bool tradable() const;
  base::Status permute();
  PieceList place_wanted(Dimension& dimension);
  base::Status add_permute();

  void all_to_alls(bool anywhere);
  bool all_to_all(std::size_t source, bool anywhere);
  void all_gather();

  // Makes the piece fit the capacity and takes it off that; false where neither divides the other. The digits beyond
  // are a piece of their own then, `rest`, next to it wherever it is listed.
  bool fit(Piece piece, std::int64_t& capacity, std::optional<Piece>& rest);
  void give(Dimension& dimension, PieceList& available, bool at_front);

  const ArrayType& from_;
  Pieces pieces_;
  std::uint32_t wanted_ = 0;  // a bit for each piece that had a destination when the permute began
  base::FixedVector<Dimension, kRankMax> dimensions_;
  Chain chain_;
};

Resharding::Resharding(const ArrayType& from, const ArrayType& to, const Pieces& pieces)
    : from_(from), pieces_(pieces) {
  for (std::size_t d = 0; d < from.rank(); ++d) {
    Dimension dimension;
    dimension.in = pieces_.list(from.layout().split(d));
    dimension.out = pieces_.list(to.layout().split(d));
    std::size_t shared = 0;
    while (shared < dimension.in.size() && shared < dimension.out.size() &&
           dimension.in[shared] == dimension.out[shared]) {
      ++shared;
    }
    dimension.place(shared);
    dimensions_.push_back(dimension);
  }
}

base::Result<Chain> Resharding::run() {
  constexpr int kRounds = 2;
  for (int round = 0; round < kRounds && !done(); ++round) {
    slice();
    if (misplaced() || tradable()) TESSERA_TRY_STATUS(permute());
    all_to_alls(false);
    all_to_alls(true);
    all_gather();
  }
  if (done()) return std::move(chain_);
  return rivals::unsupported(Planner::shardy, "it is not done after its two rounds");
}

bool Resharding::done() const {
  return std::all_of(dimensions_.begin(), dimensions_.end(), [](const Dimension& d) { return d.done(); });
}

std::optional<std::size_t> Resharding::destination(Piece piece) const {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (holds(dimensions_[d].out, piece)) return d;
  }
  return std::nullopt;
}

bool Resharding::in_use(Piece piece) const {
  return std::any_of(dimensions_.begin(), dimensions_.end(), [&](const Dimension& d) { return holds(d.in, piece); });
}

bool Resharding::fit(Piece piece, std::int64_t& capacity, std::optional<Piece>& rest) {
  rest.reset();
  if (capacity <= 1 || !one_divides_other(pieces_.size(piece), capacity)) return false;
  if (pieces_.size(piece) > capacity) {
    rest = pieces_.split(piece, capacity);
    if ((wanted_ >> piece & 1U) != 0) wanted_ |= 1U << *rest;
    for (Dimension& dimension : dimensions_) {
      insert_after(dimension.in, piece, *rest);
      insert_after(dimension.out, piece, *rest);
    }
  }
  capacity /= pieces_.size(piece);
  return true;
}

// Fills the capacity of a dimension with available pieces, in their order, before or behind those it has.
void Resharding::give(Dimension& dimension, PieceList& available, bool at_front) {
  std::size_t to = at_front ? 0 : dimension.in.size();
  std::optional<Piece> rest;
  for (std::size_t at = 0; at < available.size() && dimension.capacity > 1;) {
    const Piece piece = available[at];
    if (!fit(piece, dimension.capacity, rest)) {
      ++at;
      continue;
    }
    available.erase(at);
    dimension.in.insert(to++, piece);
    if (rest) available.insert(0, *rest);
  }
}

// ---- Slices ----

void Resharding::slice() {
  base::FixedVector<PieceList, kRankMax> sliced(dimensions_.size());
  for (Dimension& d : dimensions_) {
    const std::int64_t wanted = pieces_.size(d.out);
    d.capacity = wanted / std::gcd(wanted, pieces_.size(d.in));
  }
  for (std::size_t d = 0; d < dimensions_.size(); ++d) slice_riders(d, sliced[d]);
  PieceList left_over;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) slice_at_home(dimensions_[d], sliced[d], left_over);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const std::size_t had = dimensions_[d].in.size();
    give(dimensions_[d], left_over, false);
    for (std::size_t i = had; i < dimensions_[d].in.size(); ++i) sliced[d].push_back(dimensions_[d].in[i]);
  }
  Launch<Slice> launch;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) launch.add(pieces_.axes(sliced[d]), d);
  std::move(launch).finish(chain_);
}

// Pieces that their target wants right behind what the source is going to send there: sliced on the source, they ride
// along.
void Resharding::slice_riders(std::size_t number, PieceList& sliced) {
  Dimension& source = dimensions_[number];
  if (source.in.empty() || !source.out.empty()) return;
  const auto to = destination(source.in.back());
  if (!to) return;
  Dimension& target = dimensions_[*to];
  const auto begin = static_cast<std::size_t>(std::find(target.out.begin(), target.out.end(), source.in.back()) -
                                              target.out.begin() + 1);
  if (!may_ride(source, target, begin)) return;
  PieceList riders;
  for (std::size_t i = begin; i < target.out.size() && !in_use(target.out[i]); ++i) riders.push_back(target.out[i]);
  const std::int64_t cuts = pieces_.size(source.placed) * pieces_.size(source.in) * pieces_.size(riders);
  if (riders.empty() || from_.shape()[number] % cuts != 0) return;
  std::int64_t arriving = pieces_.size(riders);
  for (std::size_t n = 1; n <= source.in.size() && n <= begin; ++n) {
    const Piece piece = source.in[source.in.size() - n];
    if (piece != target.out[begin - n]) break;
    arriving *= pieces_.size(piece);
  }
  target.capacity /= arriving;
  append(source.in, riders);
  append(sliced, riders);
}

// The target holds nothing that is not in place, and whatever the source has for it is minor-most, in order.
bool Resharding::may_ride(const Dimension& source, const Dimension& target, std::size_t begin) const {
  if (!target.in.empty()) return false;
  std::size_t n = 0;
  while (n < source.in.size() && n < begin && source.in[source.in.size() - 1 - n] == target.out[begin - 1 - n]) ++n;
  return std::none_of(source.in.begin(), source.in.end() - n, [&](Piece piece) { return holds(target.out, piece); });
}

// Unused pieces of the dimension's own, within its capacity; what is left over may be sliced elsewhere.
void Resharding::slice_at_home(Dimension& dimension, PieceList& sliced, PieceList& left_over) {
  std::optional<Piece> rest;
  std::size_t at = 0;
  while (at < dimension.out.size()) {
    const Piece piece = dimension.out[at++];
    if (in_use(piece)) continue;
    if (!fit(piece, dimension.capacity, rest)) {
      left_over.push_back(piece);
      continue;
    }
    sliced.push_back(piece);
    dimension.in.push_back(piece);
    if (rest) left_over.push_back(dimension.out[at++]);
    if (dimension.in.size() > 1 || dimension.out[0] != piece) continue;
    dimension.place(1);
    --at;
  }
}

// ---- Permutes ----

// Does any dimension hold what a permute can put right?
bool Resharding::misplaced() const {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (misplaced_on(d)) return true;
  }
  return false;
}

// It can on a dimension that wants others in front, or holds pieces for one place apart or out of order, or one to
// gather under one that has to leave.
bool Resharding::misplaced_on(std::size_t number) const {
  const Dimension& dimension = dimensions_[number];
  if (dimension.in.empty()) return false;
  if (!dimension.out.empty() && one_divides_other(pieces_.size(dimension.in[0]), pieces_.size(dimension.out[0]))) {
    return true;
  }
  std::optional<std::size_t> last;
  const Piece* last_place = nullptr;
  std::uint32_t seen = 0;
  for (const Piece piece : dimension.in) {
    const auto to = destination(piece);
    if (!to) {
      if (last && dimension.out.empty()) return true;
      last.reset();
      continue;
    }
    const PieceList& out = dimensions_[*to].out;
    const Piece* place = std::find(out.begin(), out.end(), piece);
    const bool come_before = *to == number || (seen >> *to & 1U) != 0;
    if (come_before && (last != to || place != last_place + 1)) return true;
    seen |= 1U << *to;
    last = to;
    last_place = place;
  }
  return false;
}

// Can the last piece to gather be traded for the last one that is wanted and unused?
bool Resharding::tradable() const {
  std::optional<Piece> gathered;
  std::optional<Piece> unused;
  for (const Dimension& dimension : dimensions_) {
    for (const Piece piece : dimension.out) {
      if (!in_use(piece)) unused = piece;
    }
    for (const Piece piece : dimension.in) {
      if (!destination(piece)) gathered = piece;
    }
  }
  return gathered && unused && one_divides_other(pieces_.size(*gathered), pieces_.size(*unused));
}

// Every dimension keeps its count of tiles. It gets, as they fit, what it wants in front; then what others want, at
// the back; then what is to be gathered, at the front, on its own dimension if it can.
base::Status Resharding::permute() {
  wanted_ = 0;
  for (const Dimension& d : dimensions_) {
    for (const Piece piece : d.out) wanted_ |= 1U << piece;
  }
  PieceList for_others;
  base::FixedVector<PieceList, kRankMax> gathered;
  for (Dimension& d : dimensions_) {
    gathered.push_back(place_wanted(d));
    append(for_others, d.out);
  }
  for (Dimension& d : dimensions_) give(d, for_others, false);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) give(dimensions_[d], gathered[d], true);
  PieceList left;
  for (const PieceList& pieces : gathered) append(left, pieces);
  for (Dimension& d : dimensions_) give(d, left, true);
  return add_permute();
}

// Puts in front the pieces that belong there, as far as they fit; nothing else stays. Gives back the pieces to be
// gathered: first those that were not replaced.
PieceList Resharding::place_wanted(Dimension& dimension) {
  const std::int64_t count = pieces_.size(dimension.in);
  std::optional<Piece> rest;
  dimension.capacity = count;
  while (!dimension.out.empty() && fit(dimension.out[0], dimension.capacity, rest)) {
    dimension.placed.push_back(dimension.out[0]);
    dimension.out.erase(0);
  }
  PieceList& unwanted = dimension.in;
  for (std::size_t at = unwanted.size(); at-- > 0;) {
    if ((wanted_ >> unwanted[at] & 1U) != 0) unwanted.erase(at);
  }
  PieceList replaced;
  std::int64_t replaced_count = count / dimension.capacity;
  while (!unwanted.empty() && fit(unwanted[0], replaced_count, rest)) {
    replaced.push_back(unwanted[0]);
    unwanted.erase(0);
  }
  PieceList gathered = std::exchange(dimension.in, PieceList{});
  append(gathered, replaced);
  return gathered;
}

base::Status Resharding::add_permute() {
  for (const Dimension& d : dimensions_) {
    if (d.capacity > 1) return rivals::unsupported(Planner::shardy, "its permute would leave tiles of another size");
  }
  std::vector<AxisList> splits;
  for (const Dimension& d : dimensions_) {
    PieceList all = d.placed;
    append(all, d.in);
    splits.push_back(pieces_.axes(all));
  }
  const Layout& layout = from_.layout();
  TESSERA_TRY(permuted, Layout::make(from_.mesh(), std::move(splits), layout.pending(), layout.reduce()));
  TESSERA_TRY(target, from_.with_layout(std::move(permuted)));
  chain_.push_back(permute_step(target));
  return base::Done{};
}

// ---- All_to_alls and the all_gather ----

// Unless anywhere, only where the pieces are the next that the target wants.
void Resharding::all_to_alls(bool anywhere) {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    while (all_to_all(d, anywhere)) {
    }
  }
}

bool Resharding::all_to_all(std::size_t source, bool anywhere) {
  PieceList& in = dimensions_[source].in;
  std::size_t begin = in.size();
  std::optional<std::size_t> to;
  while (begin > 0) {
    const auto wanted_on = destination(in[begin - 1]);
    if (!wanted_on || *wanted_on == source || (to && *to != *wanted_on)) break;
    to = wanted_on;
    --begin;
  }
  if (!to) return false;
  Dimension& target = dimensions_[*to];
  const PieceList moved(in.begin() + begin, in.end());
  if (!anywhere && !std::equal(moved.begin(), moved.end(), target.out.begin())) return false;
  while (in.size() > begin) in.pop_back();
  for (const Piece piece : moved) {
    target.in.push_back(piece);
    if (target.in.size() == 1 && target.out[0] == piece) target.place(1);
  }
  chain_.push_back(all_to_all_step(pieces_.axes(moved), source, *to));
  return true;
}

// One launch for all dimensions.
void Resharding::all_gather() {
  Launch<AllGather> launch;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    PieceList& in = dimensions_[d].in;
    std::size_t begin = in.size();
    while (begin > 0 && !destination(in[begin - 1])) --begin;
    launch.add(pieces_.axes(PieceList(in.begin() + begin, in.end())), d);
    while (in.size() > begin) in.pop_back();
  }
  std::move(launch).finish(chain_);
}

}  // namespace

base::Result<Chain> shardy_chain(const ArrayType& from, const ArrayType& to) {
  if (auto why = rivals::inexpressible(Planner::shardy, from, to)) return std::move(*why);
  const auto pieces = Pieces::of(from, to, Grain::coarse);
  if (!pieces) return rivals::unsupported(Planner::shardy, rivals::kCannotCoexist);
  return Resharding(from, to, *pieces).run();
}

}  // namespace tessera::synth
