#include "synth/moves/collective/sort_cuts.hpp"

#include <algorithm>
#include <limits>

#include "base/wide.hpp"
#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

// Of many short lines on very many devices it may be more than 63 bits count: then as much as they do, which nobody
// chooses.
std::int64_t as_bytes(base::Wide bytes) {
  constexpr base::Wide kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(bytes, kMost));
}

}  // namespace

bool sorts_by_cuts(const ArrayType& type) { return type.rank() > 0 && !type.layout().split(type.rank() - 1).empty(); }

SortCuts::SortCuts(const ArrayType& type, std::size_t dimension, bool positions)
    : type_(type),
      dimension_(dimension),
      is_of_positions_(positions),
      cuts_(cuts(type, dimension)),
      positions_(synth::positions(type.mesh(), type.layout().split(dimension))),
      offsets_(place_offsets(type.mesh(), type.layout().split(dimension))),
      number_bytes_(type.shape()[dimension] <= std::numeric_limits<std::int32_t>::max() ? 4 : 8) {
  for (std::int64_t tile = 0; tile < tiles(); ++tile) {
    if (cuts_.tile(tile).length() > 0) filled_.push_back(tile);
  }
}

// With gaps of a ninth between samples the two that enclose a cut are no farther apart than four gaps.
std::int64_t SortCuts::rounds_at_most(std::int64_t elements) {
  std::int64_t rounds = 1;
  for (; elements > kSamples; ++rounds) elements = elements / 9 * 4 + elements % 9 * 4 / 9;
  return rounds;
}

std::int32_t SortCuts::member(std::int32_t device, std::int64_t tile) const {
  const auto own = static_cast<std::size_t>(own_tile(device));
  const std::int64_t place = type_.mesh().place(device) - offsets_[own] + offsets_[static_cast<std::size_t>(tile)];
  return static_cast<std::int32_t>(type_.mesh().device_at(place));
}

std::int64_t SortCuts::lines(std::int32_t device) const {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < type_.rank(); ++d) {
    if (d != dimension_) count *= tile_interval(type_, d, device).length();
  }
  return count;
}

std::int64_t SortCuts::search_bytes_at_most(std::int32_t device) const {
  const std::int64_t own = own_tile(device);
  const auto others = static_cast<std::int64_t>(filled_.size()) - 1;
  if (positions(own).length() == 0 || others < 1) return 0;
  const bool searches = own != filled_.front();
  const std::int64_t asked = others - (searches ? 1 : 0);  // other cuts
  const base::Wide rounds = rounds_at_most(cuts_.extent());
  const base::Wide of_line = rounds * (asked * answer_bytes() + (searches ? others * sample_bytes() : 0));
  return as_bytes(lines(device) * (of_line + others * number_bytes_));
}

std::int64_t SortCuts::run_bytes_at_most(std::int32_t device) const {
  const std::int64_t own = positions(own_tile(device)).length();
  return as_bytes(base::Wide{lines(device)} * std::min(own, cuts_.extent() - own) * record_bytes());
}

std::int64_t cut_bytes_at_most(const SortCuts& cuts) {
  base::Wide bytes = 0;
  for (std::int32_t device = 0; device < cuts.type().devices(); ++device)
    bytes += base::Wide{cuts.search_bytes_at_most(device)} + cuts.run_bytes_at_most(device);
  return as_bytes(bytes);
}

}  // namespace tessera::synth
