#include "synth/verify/cover.hpp"

#include <numeric>

namespace tessera::synth::verifier {

std::optional<Together> together(const Holdings& of, const Numbers& tile_numbers,
                                 std::span<const std::int64_t> devices) {
  Together all;
  std::vector<std::pair<std::int64_t, std::int64_t>> tiles;
  for (const std::int64_t device : devices) {
    const auto i = static_cast<std::size_t>(device);
    all.parts.push_back(of.pending[i]);
    tiles.emplace_back(of.pending[i], tile_numbers[i]);
  }
  base::keep_one_of_each(all.parts);
  base::keep_one_of_each(tiles);
  std::size_t combinations = all.parts.size();
  for (std::size_t d = 0; d < of.extents.size(); ++d) {
    Numbers places;
    std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
    for (const std::int64_t device : devices) {
      places.push_back(of.place[d][static_cast<std::size_t>(device)]);
      intervals.emplace_back(of.interval(d, device).begin, of.interval(d, device).end);
    }
    base::keep_one_of_each(places);
    combinations *= places.size();
    if (combinations > tiles.size()) return std::nullopt;
    all.covers.emplace_back(std::move(intervals));
  }
  if (combinations < tiles.size()) return std::nullopt;
  return all;
}

DevicesByUnit::DevicesByUnit(const Holdings& of, std::int64_t unit_devices) : devices_(of.ids.size()) {
  // Their numbers in the run ascend, and so do their units.
  std::iota(devices_.begin(), devices_.end(), 0);
  for (std::size_t i = 0; i < of.ids.size(); ++i) {
    const std::int64_t unit = of.ids[i] / unit_devices;
    if (!units_.empty() && units_.back() == unit) continue;
    units_.push_back(unit);
    begins_.push_back(i);
  }
  begins_.push_back(devices_.size());
}

std::span<const std::int64_t> DevicesByUnit::of(std::int64_t unit) const {
  const auto at = std::lower_bound(units_.begin(), units_.end(), unit);
  if (at == units_.end() || *at != unit) return {};
  const auto i = static_cast<std::size_t>(at - units_.begin());
  return std::span(devices_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
}

}  // namespace tessera::synth::verifier
