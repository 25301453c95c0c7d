#include "synth/layout/cuts.hpp"

#include <algorithm>

#include "base/wide.hpp"

namespace tessera::synth {

std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product / c;
  return static_cast<std::int64_t>(static_cast<base::Wide>(a) * b / c);
}

Interval share(std::int64_t n, std::int64_t count, std::int64_t index) {
  return Interval{scaled(index, n, count), scaled(index + 1, n, count)};
}

Cuts::Cuts(const Mesh& mesh, std::int64_t extent, const AxisList& split) : extent_(extent), tiles_(shard_count(split)) {
  if (std::none_of(split.begin(), split.end(), [](const AxisPart& part) { return part.cut != 0; })) return;
  for (const AxisPart& part : split) {
    const Weights* const weights = weights_of(mesh, part);
    parts_.push_back(Part{part.size, weights});
    sums_ *= weights == nullptr ? part.size : weights->sum();
  }
}

Interval Cuts::weighted_tile(std::int64_t place) const {
  std::int64_t begin = 0;
  std::int64_t width = 1;
  std::int64_t left = tiles_;
  for (const Part& part : parts_) {
    left /= part.size;
    const std::int64_t position = place / left % part.size;
    const Weights* const weights = part.weights;
    begin = weights == nullptr ? begin * part.size + width * position
                               : begin * weights->sum() + width * weights->before(position);
    if (weights != nullptr) width *= weights->at(position);
  }
  return Interval{scaled(extent_, begin, sums_), scaled(extent_, begin + width, sums_)};
}

std::int64_t Cuts::weighted_longest() const {
  std::int64_t longest = 0;
  for (std::int64_t place = 0; place < tiles_; ++place) longest = std::max(longest, weighted_tile(place).length());
  return longest;
}

// The last tile that begins at the element or before: empty tiles begin where the next one does.
std::int64_t Cuts::place_of(std::int64_t element) const {
  if (is_even()) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(element + 1, tiles_, &product)) return (product - 1) / extent_;
    return static_cast<std::int64_t>((static_cast<base::Wide>(element + 1) * tiles_ - 1) / extent_);
  }
  std::int64_t first = 0;
  std::int64_t beyond = tiles_;
  while (beyond - first > 1) {
    const std::int64_t middle = first + (beyond - first) / 2;
    (weighted_tile(middle).begin <= element ? first : beyond) = middle;
  }
  return first;
}

bool Cuts::fill_every_tile() const {
  if (is_even() || extent_ < tiles_) return extent_ >= tiles_;
  for (std::int64_t place = 0; place < tiles_; ++place) {
    if (weighted_tile(place).length() == 0) return false;
  }
  return true;
}

bool operator==(const Cuts& a, const Cuts& b) {
  if (a.extent_ != b.extent_ || a.tiles_ != b.tiles_) return false;
  if (a.is_even() && b.is_even()) return true;
  for (std::int64_t place = 0; place < a.tiles_; ++place) {
    if (a.tile(place) != b.tile(place)) return false;
  }
  return true;
}

}  // namespace tessera::synth
