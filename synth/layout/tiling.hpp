// Private to synth: the tiles of a type as numbers, for those that compare many of them.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

struct Tiling {
  explicit Tiling(const ArrayType& type);

  std::vector<std::vector<std::int32_t>> place;  // of every dimension and device: its tile's place
  std::vector<std::vector<Interval>> cuts;       // of every dimension and place
  std::vector<std::int32_t> contributor;         // of every device: its position along the pending axes
  std::vector<std::int32_t> tile_of;             // of every device: a number that those with its places share
  std::int64_t contributors = 1;
  std::int64_t tiles = 1;

  const Interval& interval(std::size_t dimension, std::size_t device) const {
    return cuts[dimension][static_cast<std::size_t>(place[dimension][device])];
  }
  std::int64_t elements(std::size_t device) const;
};

// Elements that a device's tile of one tiling and another's of another have in common.
std::int64_t shared_elements(const Tiling& a, std::size_t device_a, const Tiling& b, std::size_t device_b);

}  // namespace tessera::synth
