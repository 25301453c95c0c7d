#include "synth/verify/cover.hpp"

namespace tessera::synth::verifier {

std::optional<Together> together(const Holdings& of, const Numbers& tile_numbers, const Numbers& devices) {
  Together all;
  std::set<std::pair<std::int64_t, std::int64_t>> tiles;
  for (const std::int64_t device : devices) {
    const auto i = static_cast<std::size_t>(device);
    all.parts.insert(of.pending[i]);
    tiles.emplace(of.pending[i], tile_numbers[i]);
  }
  std::size_t combinations = all.parts.size();
  for (std::size_t d = 0; d < of.extents.size(); ++d) {
    std::set<std::int64_t> places;
    std::set<std::pair<std::int64_t, std::int64_t>> intervals;
    for (const std::int64_t device : devices) {
      places.insert(of.place[d][static_cast<std::size_t>(device)]);
      intervals.emplace(of.interval(d, device).begin, of.interval(d, device).end);
    }
    combinations *= places.size();
    if (combinations > tiles.size()) return std::nullopt;
    all.covers.emplace_back(intervals);
  }
  if (combinations < tiles.size()) return std::nullopt;
  return all;
}

std::map<std::int64_t, Numbers> by_unit(const Holdings& of, std::int64_t unit_devices) {
  std::map<std::int64_t, Numbers> all;
  for (std::int64_t i = 0; i < of.devices(); ++i) all[of.ids[static_cast<std::size_t>(i)] / unit_devices].push_back(i);
  return all;
}

}  // namespace tessera::synth::verifier
