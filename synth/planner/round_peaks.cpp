#include "synth/planner/round_peaks.hpp"

#include <algorithm>
#include <map>

#include "base/sorted.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/rounds.hpp"

namespace tessera::synth {

RoundPeaks::RoundPeaks(const ArrayType& from, const ArrayType& to, std::size_t dimension) {
  const std::int64_t devices = run_devices(from, to);
  const Tiling source(from, devices);
  const Tiling target(to, devices);
  const std::vector<Interval> pieces = round_pieces(from, to, dimension);
  for (const Interval& piece : pieces) rounds_max_ = std::max(rounds_max_, std::min(piece.length(), kRoundsMax));
  const auto cuts_of = [&](const Tiling& tiling) {
    std::vector<std::size_t> numbers;  // of every place along the dimension
    for (const Interval& tile : tiling.cuts(dimension)) {
      std::map<std::int64_t, std::int64_t> counts;
      for (const Interval& piece : pieces_in(pieces, tile)) ++counts[piece.length()];
      TileCut cut;
      for (const auto& [length, count] : counts) cut.push_back(Pieces{length, count});
      numbers.push_back(number_of(cut));
    }
    return numbers;
  };
  const std::vector<std::size_t> source_cuts = cuts_of(source);
  const std::vector<std::size_t> target_cuts = cuts_of(target);
  const auto slice_bytes = [&](const Tiling& tiling, std::size_t device) {
    const std::int64_t length = tiling.interval(dimension, device).length();
    return length == 0 ? 0 : tiling.elements(device) / length * bytes_of(to.element());
  };
  const std::size_t nothing = number_of({});
  for (std::size_t device = 0; device < source.tile_of.size(); ++device) {
    tiles_.push_back(Tiles{source.has(device) ? source_cuts[source.place(dimension, device)] : nothing,
                           target.has(device) ? target_cuts[target.place(dimension, device)] : nothing,
                           slice_bytes(source, device), slice_bytes(target, device)});
  }
  base::keep_one_of_each(tiles_);
}

std::size_t RoundPeaks::number_of(const TileCut& tile) {
  const auto known = std::find(cuts_.begin(), cuts_.end(), tile);
  if (known != cuts_.end()) return static_cast<std::size_t>(known - cuts_.begin());
  cuts_.push_back(tile);
  return cuts_.size() - 1;
}

std::int64_t RoundPeaks::peak(std::int64_t index, std::int64_t count) const {
  std::int64_t most = 0;
  for (const Tiles& tiles : tiles_) {
    std::int64_t left = 0;
    std::int64_t filled = 0;
    for (const Pieces& pieces : cuts_[tiles.source]) {
      left += pieces.count * (pieces.length - share(pieces.length, count, index).begin);
    }
    for (const Pieces& pieces : cuts_[tiles.target]) {
      filled += pieces.count * share(pieces.length, count, index).end;
    }
    most = std::max(most, left * tiles.source_slice_bytes + filled * tiles.target_slice_bytes);
  }
  return most;
}

std::vector<std::int64_t> RoundPeaks::peaks(std::int64_t count) const {
  std::vector<std::int64_t> all;
  for (std::int64_t index = 0; index < count; ++index) all.push_back(peak(index, count));
  return all;
}

// The first round and the last are most often those that do not fit.
bool RoundPeaks::fits(std::int64_t count, std::int64_t budget) const {
  if (peak(count - 1, count) > budget) return false;
  for (std::int64_t index = 0; index + 1 < count; ++index) {
    if (peak(index, count) > budget) return false;
  }
  return true;
}

std::optional<std::int64_t> RoundPeaks::fewest(std::int64_t budget, std::int64_t most) const {
  for (std::int64_t count = 2; count <= std::min(most, rounds_max_); ++count) {
    if (fits(count, budget)) return count;
  }
  return std::nullopt;
}

// Many rounds need little: those first, so that the rest are seen not to be less after a round or two.
std::int64_t RoundPeaks::least(std::int64_t below) const {
  for (std::int64_t count = rounds_max_; count >= 2; --count) {
    if (!fits(count, below - 1)) continue;
    const std::vector<std::int64_t> all = peaks(count);
    below = *std::max_element(all.begin(), all.end());
  }
  return below;
}

}  // namespace tessera::synth
