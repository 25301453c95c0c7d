// Private to rivals: a chain in the making, as the paper's normal form is built: slices, then steps that keep the
// sizes of tiles, then gathers.
#pragma once

#include "synth/planner/chain.hpp"
#include "synth/planner/pieces.hpp"

namespace tessera::synth::rivals {

using Splits = base::FixedVector<PieceList, kRankMax>;  // of every dimension

// The steps taken so far, and the layout after them.
class Route {
 public:
  Route(const ArrayType& from, const Pieces& pieces);

  const Pieces& pieces() const { return pieces_; }
  const Splits& now() const { return now_; }

  void slice(std::size_t to, const PieceList& digits);
  // So many minor-most digits leave.
  void gather(std::size_t from, std::size_t count);
  void move(std::size_t from, std::size_t to, std::size_t count);
  // Nothing happens where that is the layout already.
  base::Status permute(const Splits& target);
  Chain chain() && { return std::move(chain_); }

 private:
  PieceList pop(std::size_t dimension, std::size_t count);

  const ArrayType& from_;
  Pieces pieces_;
  Splits now_;
  Chain chain_;
};

// Takes the route to `end`, which has the same count of digits of every size, by all_to_alls, one for each pair of
// dimensions where that will do, and as few permutes as their order allows.
base::Status take_flat_steps(Route& route, const Splits& end);

}  // namespace tessera::synth::rivals
