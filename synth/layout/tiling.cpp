#include "synth/layout/tiling.hpp"

#include <algorithm>

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

Tiling::Tiling(const ArrayType& type)
    : contributor(positions(type.mesh(), type.layout().pending())),
      tile_of(static_cast<std::size_t>(type.devices()), 0),
      contributors(shard_count(type.layout().pending())) {
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const AxisList& split = type.layout().split(d);
    const std::int64_t parts = shard_count(split);
    place.push_back(positions(type.mesh(), split));
    for (std::size_t i = 0; i < tile_of.size(); ++i) {
      tile_of[i] = static_cast<std::int32_t>(tile_of[i] * parts + place.back()[i]);
    }
    tiles *= parts;
    auto& intervals = cuts.emplace_back();
    for (std::int64_t p = 0; p < parts; ++p) intervals.push_back(cut(type.shape()[d], parts, p));
  }
}

std::int64_t Tiling::elements(std::size_t device) const {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < cuts.size(); ++d) count *= interval(d, device).length();
  return count;
}

std::int64_t shared_elements(const Tiling& a, std::size_t device_a, const Tiling& b, std::size_t device_b) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < a.cuts.size(); ++d) {
    const Interval& one = a.interval(d, device_a);
    const Interval& other = b.interval(d, device_b);
    const std::int64_t length = std::min(one.end, other.end) - std::max(one.begin, other.begin);
    if (length <= 0) return 0;
    count *= length;
  }
  return count;
}

}  // namespace tessera::synth
