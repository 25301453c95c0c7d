// Private to verify: how much of a layout some devices have together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/sorted.hpp"

#include "synth/verify/holdings.hpp"

namespace tessera::synth::verifier {

// Intervals of a dimension that do not overlap, and how much of others they cover.
class Cover {
 public:
  explicit Cover(std::vector<std::pair<std::int64_t, std::int64_t>> intervals) {
    base::keep_one_of_each(intervals);
    for (const auto& [begin, end] : intervals) {
      if (begin == end) continue;
      begins_.push_back(begin);
      ends_.push_back(end);
      sums_.push_back((sums_.empty() ? 0 : sums_.back()) + end - begin);
    }
  }
  std::int64_t length() const { return sums_.empty() ? 0 : sums_.back(); }
  std::int64_t of(const Interval& interval) const { return until(interval.end) - until(interval.begin); }
  std::int64_t of(const Cover& other) const {
    std::int64_t both = 0;
    for (std::size_t i = 0; i < other.begins_.size(); ++i) both += of(Interval{other.begins_[i], other.ends_[i]});
    return both;
  }
  std::int64_t pieces_in(const Interval& interval) const {
    if (interval.length() == 0) return 0;
    const auto first = std::upper_bound(ends_.begin(), ends_.end(), interval.begin) - ends_.begin();
    const auto last = std::lower_bound(begins_.begin(), begins_.end(), interval.end) - begins_.begin();
    return last - first;
  }

 private:
  std::int64_t until(std::int64_t at) const {
    const auto started =
        static_cast<std::size_t>(std::lower_bound(begins_.begin(), begins_.end(), at) - begins_.begin());
    return started == 0 ? 0 : sums_[started - 1] - std::max<std::int64_t>(0, ends_[started - 1] - at);
  }

  Numbers begins_;
  Numbers ends_;
  Numbers sums_;  // of the lengths up to each, its own included
};

// What some devices have together of one layout.
struct Together {
  Numbers parts;              // of sums, ascending
  std::vector<Cover> covers;  // of every dimension
};
// `tile_numbers` are those of the layout's devices. Nothing where the different tiles are not all combinations of some
// intervals of each dimension.
std::optional<Together> together(const Holdings& of, const Numbers& tile_numbers,
                                 std::span<const std::int64_t> devices);

// A mesh's devices, by the unit of so many devices of the run that they lie in.
class DevicesByUnit {
 public:
  DevicesByUnit(const Holdings& of, std::int64_t unit_devices);

  const Numbers& units() const { return units_; }  // ascending
  // Ascending; none where the mesh has no device in the unit.
  std::span<const std::int64_t> of(std::int64_t unit) const;

 private:
  Numbers units_;
  std::vector<std::size_t> begins_;  // of each unit's devices, and where the last end
  Numbers devices_;
};

}  // namespace tessera::synth::verifier
