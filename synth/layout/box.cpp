// Intervals, boxes, and the tiles of types.
#include <algorithm>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

std::int64_t elements(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
    count *= extent;
  }
  return count;
}

bool empty(const Box& box) {
  return std::any_of(box.begin(), box.end(), [](const Interval& i) { return i.length() == 0; });
}

std::int64_t elements(const Box& box) {
  if (empty(box)) return 0;
  std::int64_t count = 1;
  for (const Interval& i : box) count *= i.length();
  return count;
}

Box intersect(const Box& a, const Box& b) {
  Box result;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const std::int64_t begin = std::max(a[d].begin, b[d].begin);
    result.push_back(Interval{begin, std::max(begin, std::min(a[d].end, b[d].end))});
  }
  return result;
}

bool contains(const Box& outer, const Box& inner) {
  if (empty(inner)) return true;
  for (std::size_t d = 0; d < outer.size(); ++d) {
    if (inner[d].begin < outer[d].begin || inner[d].end > outer[d].end) return false;
  }
  return true;
}

Shape shape_of(const Box& box) {
  Shape shape;
  for (const Interval& interval : box) shape.push_back(interval.length());
  return shape;
}

Box whole(const Shape& shape) {
  Box box;
  for (const std::int64_t extent : shape) box.push_back(Interval{0, extent});
  return box;
}

Cuts cuts(const ArrayType& type, std::size_t dimension) {
  return {type.mesh(), type.shape()[dimension], type.layout().split(dimension)};
}

bool has_even_tiles(const ArrayType& type) {
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const Cuts along = cuts(type, d);
    if (!along.is_even() || along.extent() % along.tiles() != 0) return false;
  }
  return true;
}

Interval tile_interval(const ArrayType& type, std::size_t dimension, std::int64_t device) {
  const AxisList& split = type.layout().split(dimension);
  if (split.empty()) return Interval{0, type.shape()[dimension]};
  return cuts(type, dimension).tile(position(type.mesh(), split, device));
}

Box tile(const ArrayType& type, std::int64_t device) {
  Box box;
  for (std::size_t d = 0; d < type.rank(); ++d) box.push_back(tile_interval(type, d, device));
  return box;
}

std::int64_t tile_bytes(const ArrayType& type, std::int64_t device) {
  return elements(tile(type, device)) * bytes_of(type.element());
}

// Dimensions are split over different axes, so that some device has the longest interval of each.
std::int64_t tile_bytes_max(const ArrayType& type) {
  Shape largest;
  for (std::size_t d = 0; d < type.rank(); ++d) largest.push_back(cuts(type, d).longest());
  return elements(largest) * bytes_of(type.element());
}

std::int64_t array_bytes(const ArrayType& type) { return elements(type.shape()) * bytes_of(type.element()); }

std::int64_t copies(const ArrayType& type) {
  std::int64_t used = shard_count(type.layout().pending());
  for (const AxisList& split : type.layout().splits()) used *= shard_count(split);
  return type.devices() / used;
}

}  // namespace tessera::synth
