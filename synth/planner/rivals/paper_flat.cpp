// The middle of the paper's normal form: all_to_alls and permutes.
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/planner/rivals/paper.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth::rivals {

namespace {

// Neighbouring digits of a dimension that go to another in one launch, named as they are in the end.
struct Move {
  std::size_t from = 0;
  std::size_t to = 0;
  PieceList digits;
};
using Moves = base::FixedVector<Move, kPiecesMax>;

bool begins_with(const PieceList& list, const PieceList& leading) {
  return list.size() >= leading.size() && std::equal(leading.begin(), leading.end(), list.begin());
}
bool ends_with(const PieceList& list, const PieceList& trailing) {
  return list.size() >= trailing.size() && std::equal(trailing.begin(), trailing.end(), list.end() - trailing.size());
}
PieceList joined(PieceList major, const PieceList& minor) {
  append(major, minor);
  return major;
}
void drop_last(PieceList& list, std::size_t count) {
  for (; count > 0; --count) list.pop_back();
}

// Which digits have to change their dimension, if permutes may put any digit of a size in place of another.
class Flows {
 public:
  Flows(const Pieces& pieces, const Splits& begin, const Splits& end) : pieces_(pieces), left_(begin), end_(end) {}

  Moves moves() {
    for (std::size_t to = 0; to < end_.size(); ++to) add_moves_to(to);
    return moves_;
  }

 private:
  std::int64_t count(const PieceList& list, std::int64_t size) const {
    return std::count_if(list.begin(), list.end(), [&](Piece piece) { return pieces_.size(piece) == size; });
  }

  // The minor-most digits of each size: they are the easiest to put there.
  PieceList arriving(std::size_t to) const {
    PieceList digits;
    for (std::size_t i = end_[to].size(); i-- > 0;) {
      const std::int64_t size = pieces_.size(end_[to][i]);
      const std::int64_t wanted = count(end_[to], size) - count(left_[to], size);
      if (wanted > count(digits, size)) digits.insert(0, end_[to][i]);
    }
    return digits;
  }

  void add_moves_to(std::size_t to) {
    Move move;
    for (const Piece piece : arriving(to)) {
      const std::size_t from = source_of(piece, move);
      if (!move.digits.empty() && move.from != from) moves_.push_back(std::exchange(move, Move{}));
      move.from = from;
      move.to = to;
      move.digits.push_back(piece);
    }
    if (!move.digits.empty()) moves_.push_back(move);
  }

  // A dimension that has too many digits of that size: the one that holds this digit, or the one that the move under
  // way comes from, or the first.
  std::size_t source_of(Piece piece, const Move& under_way) {
    std::optional<std::size_t> best;
    int best_rank = 0;
    for (std::size_t d = 0; d < left_.size(); ++d) {
      const std::int64_t size = pieces_.size(piece);
      if (count(left_[d], size) <= count(end_[d], size)) continue;
      const bool goes_on = !under_way.digits.empty() && under_way.from == d;
      const int rank = holds(left_[d], piece) ? 3 : goes_on ? 2 : 1;
      if (rank > best_rank) best = d;
      best_rank = std::max(best_rank, rank);
    }
    TESSERA_CHECK(best.has_value(), "a digit arrives from nowhere");
    take(left_[*best], piece);
    return *best;
  }

  // The digit, or else the minor-most of its size, is spoken for.
  void take(PieceList& list, Piece piece) const {
    std::size_t at = list.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool found = at < list.size() && list[at] == piece;
      if (!found && pieces_.size(list[i]) == pieces_.size(piece)) at = i;
    }
    list.erase(at);
  }

  const Pieces& pieces_;
  Splits left_;  // at the beginning, without what has been given a destination
  const Splits& end_;
  Moves moves_;
};

// The moves in the order in which they are taken: some right away, then a permute, then the others, which end in place.
// The permute is needed unless all of them can be the others.
class PermuteSection {
 public:
  PermuteSection(Route& route, const Splits& end) : route_(route), turn_(end) {
    moves_ = Flows(route.pieces(), route.now(), end).moves();
  }
  base::Status take();

 private:
  bool comes_from_its_place(const Move& move) const;
  bool covers(const Move& move) const;
  bool put_last(const Move& move);
  bool take_now(const Move& move);
  template <class Attempt>
  bool any(Attempt attempt);
  base::Status uncover();
  bool ends_alike(const PieceList& list, const PieceList& digits) const;

  Route& route_;
  Moves moves_;  // neither taken nor among the last ones
  Moves last_;   // in reverse
  Splits turn_;  // from here the last ones lead to the end
};

base::Status PermuteSection::take() {
  while (any([&](const Move& move) { return comes_from_its_place(move) && put_last(move); })) {
  }
  while (!moves_.empty()) {
    // Digits that can be taken now had better not be put last: there they may stand in each other's way.
    const auto hidden = [&](const Move& move) { return !ends_alike(route_.now()[move.from], move.digits); };
    if (any([&](const Move& move) { return hidden(move) && put_last(move); })) continue;
    if (any([&](const Move& move) { return !covers(move) && take_now(move); })) continue;
    if (any([&](const Move& move) { return take_now(move); })) continue;
    TESSERA_TRY_STATUS(uncover());
  }
  TESSERA_TRY_STATUS(route_.permute(turn_));
  for (std::size_t i = last_.size(); i-- > 0;) route_.move(last_[i].from, last_[i].to, last_[i].digits.size());
  return base::Done{};
}

// The first move with which it succeeds is done with.
template <class Attempt>
bool PermuteSection::any(Attempt attempt) {
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    if (!attempt(moves_[i])) continue;
    moves_.erase(i);
    return true;
  }
  return false;
}

// Do its digits stand at the beginning where the last moves would find them?
bool PermuteSection::comes_from_its_place(const Move& move) const {
  return begins_with(route_.now()[move.from], joined(turn_[move.from], move.digits));
}

// Would it bury digits that have to leave?
bool PermuteSection::covers(const Move& move) const {
  return std::any_of(moves_.begin(), moves_.end(), [&](const Move& other) { return other.from == move.to; });
}

// Undoes the move from the end, if what it brings is minor-most there.
bool PermuteSection::put_last(const Move& move) {
  if (!ends_with(turn_[move.to], move.digits)) return false;
  drop_last(turn_[move.to], move.digits.size());
  append(turn_[move.from], move.digits);
  last_.push_back(move);
  return true;
}

// Takes the move if its digits, or others of their sizes, are minor-most: the permute will put the names right.
bool PermuteSection::take_now(const Move& move) {
  if (!ends_alike(route_.now()[move.from], move.digits)) return false;
  route_.move(move.from, move.to, move.digits.size());
  return true;
}

bool PermuteSection::ends_alike(const PieceList& list, const PieceList& digits) const {
  if (list.size() < digits.size()) return false;
  return std::equal(digits.begin(), digits.end(), list.end() - digits.size(),
                    [&](Piece a, Piece b) { return route_.pieces().size(a) == route_.pieces().size(b); });
}

// Permutes digits of the sizes that have to leave to where they can.
base::Status PermuteSection::uncover() {
  const Pieces& pieces = route_.pieces();
  Splits stay = route_.now();
  Splits leave(stay.size());
  for (const Move& move : moves_) {
    PieceList& list = stay[move.from];
    PieceList digits;
    for (const Piece piece : move.digits) {
      std::size_t at = list.size() - 1;
      while (pieces.size(list[at]) != pieces.size(piece)) --at;
      digits.push_back(list[at]);
      list.erase(at);
    }
    leave[move.from] = joined(digits, leave[move.from]);
  }
  for (std::size_t d = 0; d < stay.size(); ++d) append(stay[d], leave[d]);
  return route_.permute(stay);
}

}  // namespace

base::Status take_flat_steps(Route& route, const Splits& end) { return PermuteSection(route, end).take(); }

Route::Route(const ArrayType& from, const Pieces& pieces) : from_(from), pieces_(pieces) {
  for (std::size_t d = 0; d < from.rank(); ++d) now_.push_back(pieces_.list(from.layout().split(d)));
}

PieceList Route::pop(std::size_t dimension, std::size_t count) {
  PieceList& list = now_[dimension];
  const PieceList popped(list.end() - count, list.end());
  drop_last(list, count);
  return popped;
}

void Route::slice(std::size_t to, const PieceList& digits) {
  append(now_[to], digits);
  auto* last = chain_.empty() ? nullptr : std::get_if<Slice>(&chain_.back().effect);
  if (last == nullptr || last->moves.front().dimension != to) {
    chain_.push_back(slice_step(pieces_.axes(digits), to));
    return;
  }
  AxisList& axes = last->moves.front().axes;
  axes = concatenated(axes, pieces_.axes(digits));
}

void Route::gather(std::size_t from, std::size_t count) {
  if (count > 0) chain_.push_back(all_gather_step(pieces_.axes(pop(from, count)), from));
}

void Route::move(std::size_t from, std::size_t to, std::size_t count) {
  const PieceList moved = pop(from, count);
  append(now_[to], moved);
  chain_.push_back(all_to_all_step(pieces_.axes(moved), from, to));
}

base::Status Route::permute(const Splits& target) {
  if (target == now_) return base::Done{};
  now_ = target;
  std::vector<AxisList> axes;
  for (const PieceList& list : target) axes.push_back(pieces_.axes(list));
  const Layout& layout = from_.layout();
  TESSERA_TRY(permuted, Layout::make(from_.mesh(), std::move(axes), layout.pending(), layout.reduce()));
  TESSERA_TRY(type, from_.with_layout(std::move(permuted)));
  chain_.push_back(permute_step(type));
  return base::Done{};
}

}  // namespace tessera::synth::rivals
