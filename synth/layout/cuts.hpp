// Where the tiles of an extent begin: the one place that knows the rule. And dealing out work, which is not about
// tiles.
#pragma once

#include <cstdint>

#include "synth/layout/layout.hpp"

namespace tessera::synth {

// Half-open: [begin, end).
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t length() const { return end > begin ? end - begin : 0; }
  friend auto operator<=>(const Interval&, const Interval&) = default;
};

// a * b / c for numbers from 0 on and a result that fits 63 bits, whatever the product is.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c);

// Part `index` of `count` parts of n things, as even as they can be: [floor(index*n/count), floor((index+1)*n/count)).
// For work; tiles are asked of Cuts.
Interval share(std::int64_t n, std::int64_t count, std::int64_t index);

// An extent split over axes. Tile t of k over extent n is [floor(t*n/k), floor((t+1)*n/k)), for every n and k, without
// overflow: 10 elements on 4 devices are 2, 3, 2 and 3.
class Cuts {
 public:
  Cuts(std::int64_t extent, const AxisList& split);

  std::int64_t extent() const { return extent_; }
  std::int64_t tiles() const { return tiles_; }
  Interval tile(std::int64_t place) const { return share(extent_, tiles_, place); }
  // The tile that holds an element.
  std::int64_t place_of(std::int64_t element) const;
  std::int64_t longest() const { return extent_ / tiles_ + (extent_ % tiles_ != 0 ? 1 : 0); }

 private:
  std::int64_t extent_;
  std::int64_t tiles_;
};

}  // namespace tessera::synth
