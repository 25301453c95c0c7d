// The normal form of the original paper: gathering everything and slicing it again, rewritten pair by pair until all
// slices come first and all gathers last. Axes are cut into primes for it.
#include "synth/planner/rivals/paper.hpp"

#include <utility>

#include "synth/planner/rivals/refusals.hpp"
#include "synth/planner/rivals/rivals.hpp"

namespace tessera::synth {

namespace {

using rivals::Route;
using rivals::Splits;

// A digit that leaves or enters a dimension.
struct PaperDigit {
  Piece piece = 0;
  std::size_t dimension = 0;
};
using PaperDigits = base::FixedVector<PaperDigit, kPiecesMax>;

// The easy program gathers every digit of the source, minor ones first, and slices every digit of the target, major
// ones first. Its peak is worn down: each slice moves ahead of the gathers, which commute if they are of different
// dimensions, until
//   - it meets the gather of an equal digit on its own dimension: they vanish, or are a permute that puts the one in
//     place of the other (a gather of the wanted digit further ahead becomes one of the replaced digit);
//   - it meets the gather of its own digit on another dimension: together they are an all_to_all;
//   - it is ahead of them all.
// To pass a gather of its dimension and of another size costs a permute of the two. All_to_alls and permutes commute
// with the rest alike, so that they lead, in any order, from where the slices end to where the gathers begin:
// `[6@x] -> [6@y]` on x:2,y:3 is a slice to `[6@(x,y)]`, a permute to `[6@(y,x)]` and a gather.
class NormalForm {
 public:
  NormalForm(const ArrayType& from, const ArrayType& to, const Pieces& pieces);
  base::Result<Chain> run() &&;

 private:
  bool meets_equal(const PaperDigit& slice);
  bool meets_its_own(const PaperDigit& slice);
  void add_slices();
  Piece unused_like(Piece piece) const;

  Route route_;
  Splits target_;
  PaperDigits gathers_;  // those left, in the program's order
  PaperDigits slices_;   // those that are ahead of all gathers
};

NormalForm::NormalForm(const ArrayType& from, const ArrayType& to, const Pieces& pieces) : route_(from, pieces) {
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const PieceList& source = route_.now()[d];
    for (std::size_t i = source.size(); i-- > 0;) gathers_.push_back(PaperDigit{source[i], d});
    target_.push_back(pieces.list(to.layout().split(d)));
  }
}

base::Result<Chain> NormalForm::run() && {
  PaperDigits unmet;
  for (std::size_t d = 0; d < target_.size(); ++d) {
    for (const Piece piece : target_[d]) {
      if (!meets_equal(PaperDigit{piece, d})) unmet.push_back(PaperDigit{piece, d});
    }
  }
  for (const PaperDigit& slice : unmet) {
    if (!meets_its_own(slice)) slices_.push_back(slice);
  }
  add_slices();
  Splits gathered_from = target_;
  for (std::size_t i = gathers_.size(); i-- > 0;) {
    gathered_from[gathers_[i].dimension].push_back(gathers_[i].piece);
  }
  TESSERA_TRY_STATUS(rivals::take_flat_steps(route_, gathered_from));
  for (std::size_t d = 0; d < target_.size(); ++d) route_.gather(d, gathered_from[d].size() - target_[d].size());
  return std::move(route_).chain();
}

bool NormalForm::meets_equal(const PaperDigit& slice) {
  const Pieces& pieces = route_.pieces();
  for (std::size_t i = gathers_.size(); i-- > 0;) {
    const PaperDigit gather = gathers_[i];
    if (gather.dimension != slice.dimension || pieces.size(gather.piece) != pieces.size(slice.piece)) continue;
    gathers_.erase(i);
    for (PaperDigit& other : gathers_) {
      if (other.piece == slice.piece) other.piece = gather.piece;
    }
    return true;
  }
  return false;
}

bool NormalForm::meets_its_own(const PaperDigit& slice) {
  for (std::size_t i = gathers_.size(); i-- > 0;) {
    if (gathers_[i].piece != slice.piece) continue;
    gathers_.erase(i);
    return true;
  }
  return false;
}

// Ahead of the permutes another digit may stand where this one will be: then an unused one of its size is sliced. There
// is one, since permutes keep how many of a size are used.
Piece NormalForm::unused_like(Piece piece) const {
  const auto used = [&](Piece other) {
    return std::any_of(route_.now().begin(), route_.now().end(), [&](const PieceList& l) { return holds(l, other); });
  };
  const Pieces& pieces = route_.pieces();
  Piece unused = piece;
  for (std::size_t i = 0; used(unused) && i < pieces.count(); ++i) {
    if (pieces.size(static_cast<Piece>(i)) == pieces.size(piece)) unused = static_cast<Piece>(i);
  }
  TESSERA_CHECK(!used(unused), "no digit is free for a slice");
  return unused;
}

void NormalForm::add_slices() {
  for (std::size_t d = 0; d < target_.size(); ++d) {
    for (const PaperDigit& slice : slices_) {
      if (slice.dimension == d) route_.slice(d, PieceList{unused_like(slice.piece)});
    }
  }
}

}  // namespace

base::Result<Chain> paper_chain(const ArrayType& from, const ArrayType& to) {
  if (auto why = rivals::inexpressible(Planner::paper, from, to)) return std::move(*why);
  const auto pieces = Pieces::of(from, to, Grain::prime);
  if (!pieces) return rivals::unsupported(Planner::paper, rivals::kCannotCoexist);
  return NormalForm(from, to, *pieces).run();
}

}  // namespace tessera::synth
