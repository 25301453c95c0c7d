#include "synth/collective/direct_reduction.hpp"

#include <algorithm>

namespace tessera::synth {

namespace {

// The largest box that begins at element `begin` of a box, in row-major order, and ends at `end` at the latest.
Box first_box(const Box& box, std::int64_t begin, std::int64_t end) {
  Box part = box;
  bool is_single = true;  // one index of every dimension so far
  std::int64_t inner = elements(box);
  for (std::size_t d = 0; d < box.size() && is_single; ++d) {
    inner /= box[d].length();
    const std::int64_t at = box[d].begin + begin / inner % box[d].length();
    const std::int64_t whole = begin % inner == 0 ? (end - begin) / inner : 0;
    part[d] = {at, std::min(box[d].end, at + std::max<std::int64_t>(1, whole))};
    is_single = whole == 0;
  }
  return part;
}

}  // namespace

std::vector<Box> boxes_of_stretch(const Box& box, Interval stretch) {
  std::vector<Box> boxes;
  while (stretch.begin < stretch.end) {
    boxes.push_back(first_box(box, stretch.begin, stretch.end));
    stretch.begin += elements(boxes.back());
  }
  return boxes;
}

}  // namespace tessera::synth
