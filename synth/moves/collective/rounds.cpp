#include "synth/moves/collective/rounds.hpp"

#include <algorithm>

#include "base/sorted.hpp"

namespace tessera::synth {

namespace {

void add_tile_begins(const Cuts& cuts, std::vector<std::int64_t>& begins) {
  for (std::int64_t t = 0; t < cuts.tiles(); ++t) begins.push_back(cuts.tile(t).begin);
}

}  // namespace

std::vector<Interval> round_pieces(const ArrayType& from, const ArrayType& to, std::size_t dimension) {
  std::vector<std::int64_t> begins{to.shape()[dimension]};
  add_tile_begins(cuts(from, dimension), begins);
  add_tile_begins(cuts(to, dimension), begins);
  base::keep_one_of_each(begins);
  std::vector<Interval> pieces;
  for (std::size_t i = 1; i < begins.size(); ++i) pieces.push_back(Interval{begins[i - 1], begins[i]});
  return pieces;
}

std::vector<Interval> pieces_in(const std::vector<Interval>& pieces, const Interval& interval) {
  const auto begins_before = [](const Interval& piece, std::int64_t at) { return piece.begin < at; };
  const auto first = std::lower_bound(pieces.begin(), pieces.end(), interval.begin, begins_before);
  const auto last = std::lower_bound(first, pieces.end(), interval.end, begins_before);
  return {first, last};
}

Interval part_of(const Interval& piece, const Round& round) {
  const Interval part = share(piece.length(), round.count, round.index);
  return Interval{piece.begin + part.begin, piece.begin + part.end};
}

std::vector<BoxCopy> copies_of_round(const RunMachine& machine, const ArrayType& from, const ArrayType& to,
                                     const Round& round) {
  const std::vector<Interval> pieces = round_pieces(from, to, round.dimension);
  std::vector<BoxCopy> moved;
  for (BoxCopy copy : copies(machine, from, to)) {
    const Interval whole_side = copy.box[round.dimension];
    for (const Interval& piece : pieces) {
      const Interval part = part_of(piece, round);
      Interval& side = copy.box[round.dimension];
      side = Interval{std::max(whole_side.begin, part.begin), std::min(whole_side.end, part.end)};
      if (side.length() > 0) moved.push_back(copy);
    }
  }
  return moved;
}

}  // namespace tessera::synth
