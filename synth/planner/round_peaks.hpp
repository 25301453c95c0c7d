// Private to synth: how much memory an exchange in rounds takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// More rounds than this are not worth their latencies.
inline constexpr std::int64_t kRoundsMax = 1024;

// The peaks of an exchange in rounds along one dimension. The source is dead afterwards, and its boxes are freed as
// they leave: in a round a device holds the elements of its source tile that this and later rounds move, and those of
// its target tile that this and earlier rounds have brought.
class RoundPeaks {
 public:
  RoundPeaks(const ArrayType& from, const ArrayType& to, std::size_t dimension);

  // As many as the longest piece has parts, so that no round is empty; 1024 at most. 1: nothing can be cut.
  std::int64_t rounds_max() const { return rounds_max_; }
  // The peak of every round, the greatest over the devices.
  std::vector<std::int64_t> peaks(std::int64_t count) const;
  // The fewest rounds, from 2 to `most`, that keep the budget.
  std::optional<std::int64_t> fewest(std::int64_t budget, std::int64_t most) const;
  // The least peak of any number of rounds from 2 on, or `below` if none is less.
  std::int64_t least(std::int64_t below) const;

 private:
  // Pieces of one length in a tile.
  struct Pieces {
    std::int64_t length = 0;
    std::int64_t count = 0;
    friend auto operator<=>(const Pieces&, const Pieces&) = default;
  };
  using TileCut = std::vector<Pieces>;
  // A pair of tiles, before and after: devices with the same pair have the same peaks.
  struct Tiles {
    std::size_t source = 0;  // of cuts_
    std::size_t target = 0;
    std::int64_t source_slice_bytes = 0;
    std::int64_t target_slice_bytes = 0;
    friend auto operator<=>(const Tiles&, const Tiles&) = default;
  };
  std::size_t number_of(const TileCut& tile);
  std::int64_t peak(std::int64_t index, std::int64_t count) const;
  bool fits(std::int64_t count, std::int64_t budget) const;

  std::vector<TileCut> cuts_;
  std::vector<Tiles> tiles_;
  std::int64_t rounds_max_ = 1;
};

}  // namespace tessera::synth
