// Private to verify: how much of a layout some devices have together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "synth/verify/holdings.hpp"

namespace tessera::synth::verifier {

// Intervals of a dimension that do not overlap, and how much of others they cover.
class Cover {
 public:
  explicit Cover(const std::set<std::pair<std::int64_t, std::int64_t>>& intervals) {
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
  std::set<std::int64_t> parts;  // of sums
  std::vector<Cover> covers;     // of every dimension
};
// `tile_numbers` are those of the layout's devices. Nothing where the different tiles are not all combinations of some
// intervals of each dimension.
std::optional<Together> together(const Holdings& of, const Numbers& tile_numbers, const Numbers& devices);

// A mesh's devices, by the unit of so many devices of the run that they lie in.
std::map<std::int64_t, Numbers> by_unit(const Holdings& of, std::int64_t unit_devices);

}  // namespace tessera::synth::verifier
