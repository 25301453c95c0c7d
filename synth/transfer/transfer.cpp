#include "synth/transfer/transfer.hpp"

#include <algorithm>

namespace tessera::synth {

Box stretch_of(const Box& box, std::int64_t count, std::int64_t index) {
  if (box.empty() || count == 1) {
    if (index == 0) return box;
    Box none = box;
    for (Interval& interval : none) interval.end = interval.begin;
    return none;
  }
  const auto enough = [&](const Interval& i) { return i.length() >= count; };
  const auto shorter = [](const Interval& a, const Interval& b) { return a.length() < b.length(); };
  const auto* at = std::find_if(box.begin(), box.end(), enough);
  if (at == box.end()) at = std::max_element(box.begin(), box.end(), shorter);
  Box part = box;
  Interval& cut_along = part[static_cast<std::size_t>(at - box.begin())];
  const Interval stretch = share(cut_along.length(), count, index);
  cut_along = Interval{cut_along.begin + stretch.begin, cut_along.begin + stretch.end};
  return part;
}

}  // namespace tessera::synth
