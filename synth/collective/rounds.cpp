#include "synth/collective/rounds.hpp"

#include <algorithm>

namespace tessera::synth {

namespace {

void add_tile_begins(const ArrayType& type, std::size_t dimension, std::vector<std::int64_t>& cuts) {
  const std::int64_t tiles = shard_count(type.layout().split(dimension));
  for (std::int64_t t = 0; t < tiles; ++t) cuts.push_back(cut(type.shape()[dimension], tiles, t).begin);
}

}  // namespace

std::vector<Interval> round_pieces(const ArrayType& from, const ArrayType& to, std::size_t dimension) {
  std::vector<std::int64_t> cuts{to.shape()[dimension]};
  add_tile_begins(from, dimension, cuts);
  add_tile_begins(to, dimension, cuts);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Interval> pieces;
  for (std::size_t i = 1; i < cuts.size(); ++i) pieces.push_back(Interval{cuts[i - 1], cuts[i]});
  return pieces;
}

std::vector<Interval> pieces_in(const std::vector<Interval>& pieces, const Interval& interval) {
  const auto begins_before = [](const Interval& piece, std::int64_t at) { return piece.begin < at; };
  const auto first = std::lower_bound(pieces.begin(), pieces.end(), interval.begin, begins_before);
  const auto last = std::lower_bound(first, pieces.end(), interval.end, begins_before);
  return {first, last};
}

Interval part_of(const Interval& piece, const Round& round) {
  const Interval part = cut(piece.length(), round.count, round.index);
  return Interval{piece.begin + part.begin, piece.begin + part.end};
}

std::vector<BoxCopy> copies_of_round(const ArrayType& from, const ArrayType& to, const Round& round) {
  const std::vector<Interval> pieces = round_pieces(from, to, round.dimension);
  std::vector<BoxCopy> moved;
  for (BoxCopy copy : copies(from, to)) {
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
