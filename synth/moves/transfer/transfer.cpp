#include "synth/moves/transfer/transfer.hpp"

#include <algorithm>

namespace tessera::synth {

namespace {

// The dimension that a box of some rank is cut along.
std::size_t stretched_dimension(const Box& box, std::int64_t count) {
  const auto enough = [&](const Interval& i) { return i.length() >= count; };
  const auto shorter = [](const Interval& a, const Interval& b) { return a.length() < b.length(); };
  const auto* at = std::find_if(box.begin(), box.end(), enough);
  if (at == box.end()) at = std::max_element(box.begin(), box.end(), shorter);
  return static_cast<std::size_t>(at - box.begin());
}

// One stretch is the whole box, and a scalar is not cut.
bool is_cut(const Box& box, std::int64_t count) { return !box.empty() && count > 1; }

}  // namespace

Box stretch_of(const Box& box, std::int64_t count, std::int64_t index) {
  if (!is_cut(box, count)) {
    if (index == 0) return box;
    Box none = box;
    for (Interval& interval : none) interval.end = interval.begin;
    return none;
  }
  Box part = box;
  Interval& cut_along = part[stretched_dimension(box, count)];
  const Interval stretch = share(cut_along.length(), count, index);
  cut_along = Interval{cut_along.begin + stretch.begin, cut_along.begin + stretch.end};
  return part;
}

std::vector<std::int64_t> stretch_elements(const Box& box, std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count), 0);
  const std::int64_t whole = elements(box);
  if (!is_cut(box, count)) {
    all[0] = whole;
    return all;
  }
  const std::int64_t length = box[stretched_dimension(box, count)].length();
  if (whole == 0) return all;
  for (std::int64_t index = 0; index < count; ++index)
    all[static_cast<std::size_t>(index)] = whole / length * share(length, count, index).length();
  return all;
}

}  // namespace tessera::synth
