// The tiles of an extent: the one place that knows where they begin. It also deals out work, by a rule of its own.
#pragma once

#include <cstdint>
#include <vector>

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

// An extent split over axes of a mesh, which has to live as long.
//
// Even cuts: tile t of k over extent n is [floor(t*n/k), floor((t+1)*n/k)), for every n and k, without overflow: 10
// elements on 4 devices are 2, 3, 2 and 3.
//
// Cuts by weights: each part of the list has a weight for each of its positions, and an even part has ones. Let
// S_i be the sum of part i's weights and D the product of the sums. The tile at positions c_1..c_k begins at
// floor(n*N/D), where N is found from the major-most part to the minor-most, from N = 0 and width = 1:
//
//     N <- N*S_i + width*(w_i[0] + ... + w_i[c_i - 1])        width <- width*w_i[c_i]
//
// A list's tiles begin where tiles of every longer list do, for every n: a part at the end divides tiles and moves none
// of their ends.
//
// Example: tiles of 8 elements on weights 1, 2, 1 begin at 0, 2 and 6; of 10 on (5,1), then (3,1) at 0, 6, 8 and 9; of
// 7 on (2,1), then two even positions at 0, 2, 4 and 5.
class Cuts {
 public:
  Cuts(const Mesh& mesh, std::int64_t extent, const AxisList& split);

  std::int64_t extent() const { return extent_; }
  std::int64_t tiles() const { return tiles_; }
  bool is_even() const { return parts_.empty(); }
  Interval tile(std::int64_t place) const { return is_even() ? share(extent_, tiles_, place) : weighted_tile(place); }
  // The tile that holds an element.
  std::int64_t place_of(std::int64_t element) const;
  std::int64_t longest() const {
    return is_even() ? extent_ / tiles_ + (extent_ % tiles_ != 0 ? 1 : 0) : weighted_longest();
  }
  // Does every tile hold something?
  bool fill_every_tile() const;

  // The same tiles in the same places.
  friend bool operator==(const Cuts& a, const Cuts& b);

 private:
  struct Part {
    std::int64_t size = 1;
    const Weights* weights = nullptr;  // none: even
  };

  Interval weighted_tile(std::int64_t place) const;
  std::int64_t weighted_longest() const;

  std::int64_t extent_;
  std::int64_t tiles_;
  std::vector<Part> parts_;  // none if all are even
  std::int64_t sums_ = 1;    // D
};

}  // namespace tessera::synth
