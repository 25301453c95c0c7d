#include "synth/layout/tiling.hpp"

#include <algorithm>
#include <array>

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

Tiling::Tiling(const ArrayType& type, std::pmr::memory_resource* memory)
    : contributor(static_cast<std::size_t>(type.devices()), memory),
      tile_of(contributor.size(), 0, memory),
      contributors(shard_count(type.layout().pending())),
      rank_(type.rank()),
      places_(rank_ * contributor.size(), memory),
      tiles_(places_.size(), memory),
      cuts_(memory) {
  write_positions(type.mesh(), type.layout().pending(), contributor);
  std::int64_t count = 0;
  for (const AxisList& split : type.layout().splits()) count += shard_count(split);
  cuts_.reserve(static_cast<std::size_t>(count));
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const AxisList& split = type.layout().split(d);
    const Cuts cuts = synth::cuts(type, d);
    write_positions(type.mesh(), split, std::span(places_).subspan(d * devices(), devices()));
    tiles *= cuts.tiles();
    first_cut_.push_back(cuts_.size());
    for (std::int64_t p = 0; p < cuts.tiles(); ++p) cuts_.push_back(cuts.tile(p));
  }
  first_cut_.push_back(cuts_.size());
  copies = type.devices() / (tiles * contributors);
  number_tiles();
}

Tiling::Tiling(const ArrayType& type, std::int64_t run_devices, std::pmr::memory_resource* memory)
    : Tiling(type, memory) {
  const bool has_all = type.devices() == run_devices && type.mesh().devices_end() == run_devices;
  if (!has_all) spread(type.mesh(), run_devices);
}

void Tiling::spread(const Mesh& mesh, std::int64_t run_devices) {
  const auto all = static_cast<std::size_t>(run_devices);
  const std::size_t own = devices();
  const auto memory = tile_of.get_allocator();
  std::pmr::vector<std::int32_t> spread_contributor(all, -1, memory);
  std::pmr::vector<std::int32_t> spread_tile(all, -1, memory);
  std::pmr::vector<std::int32_t> spread_places(rank_ * all, 0, memory);
  std::pmr::vector<Interval> spread_tiles(rank_ * all, Interval{}, tiles_.get_allocator());
  for (std::size_t number = 0; number < own; ++number) {
    const std::size_t device = mesh.device_of_run(static_cast<std::int64_t>(number)).value;
    spread_contributor[device] = contributor[number];
    spread_tile[device] = tile_of[number];
    for (std::size_t d = 0; d < rank_; ++d) {
      spread_places[d * all + device] = places_[d * own + number];
      spread_tiles[device * rank_ + d] = tiles_[number * rank_ + d];
    }
  }
  contributor = std::move(spread_contributor);
  tile_of = std::move(spread_tile);
  places_ = std::move(spread_places);
  tiles_ = std::move(spread_tiles);
}

void Tiling::number_tiles() {
  struct Dimension {
    const std::int32_t* places = nullptr;
    const Interval* intervals = nullptr;
    std::int32_t parts = 1;
  };
  std::array<Dimension, kRankMax> dimensions;
  for (std::size_t d = 0; d < rank_; ++d) {
    dimensions[d] = {places_.data() + d * devices(), cuts_.data() + first_cut_[d],
                     static_cast<std::int32_t>(cuts(d).size())};
  }
  Interval* tile = tiles_.data();
  for (std::size_t i = 0; i < tile_of.size(); ++i) {
    std::int32_t number = 0;
    for (std::size_t d = 0; d < rank_; ++d) {
      const std::int32_t place = dimensions[d].places[i];
      number = number * dimensions[d].parts + place;
      *tile++ = dimensions[d].intervals[place];
    }
    tile_of[i] = number;
  }
}

std::int64_t Tiling::elements(std::size_t device) const {
  std::int64_t count = has(device) ? 1 : 0;
  for (const Interval& interval : std::span(tile(device), rank_)) count *= interval.length();
  return count;
}

std::int64_t shared_elements(const Tiling& a, std::size_t device_a, const Tiling& b, std::size_t device_b) {
  std::int64_t count = a.has(device_a) && b.has(device_b) ? 1 : 0;
  const Interval* const tile_a = a.tile(device_a);
  const Interval* const tile_b = b.tile(device_b);
  for (std::size_t d = 0; d < a.rank(); ++d) {
    const Interval& one = tile_a[d];
    const Interval& other = tile_b[d];
    const std::int64_t length = std::min(one.end, other.end) - std::max(one.begin, other.begin);
    if (length <= 0) return 0;
    count *= length;
  }
  return count;
}

std::int64_t run_devices(const ArrayType& a, const ArrayType& b) {
  return std::max(a.mesh().devices_end(), b.mesh().devices_end());
}

}  // namespace tessera::synth
