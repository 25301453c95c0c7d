// The tiles of a type as numbers, for those that compare many of them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

class Tiling {
 public:
  explicit Tiling(const ArrayType& type, std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  // The same by device of a run of `run_devices`, which has all devices of the mesh and perhaps more; the others hold
  // nothing. So two types on any two meshes can be compared device by device.
  Tiling(const ArrayType& type, std::int64_t run_devices,
         std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  std::size_t rank() const { return rank_; }
  std::size_t devices() const { return tile_of.size(); }
  // The intervals that a dimension is cut into, and which of them is a device's.
  std::span<const Interval> cuts(std::size_t dimension) const {
    return std::span(cuts_).subspan(first_cut_[dimension], first_cut_[dimension + 1] - first_cut_[dimension]);
  }
  std::size_t place(std::size_t dimension, std::size_t device) const {
    return static_cast<std::size_t>(places_[dimension * devices() + device]);
  }
  // The device's interval of every dimension.
  const Interval* tile(std::size_t device) const { return tiles_.data() + device * rank_; }
  const Interval& interval(std::size_t dimension, std::size_t device) const { return tile(device)[dimension]; }
  std::int64_t elements(std::size_t device) const;
  // Is the device one of the mesh's? If not its numbers below are -1.
  bool has(std::size_t device) const { return tile_of[device] >= 0; }

  std::pmr::vector<std::int32_t> contributor;  // of every device: its position along the pending axes
  std::pmr::vector<std::int32_t> tile_of;      // of every device: a number that those with its places share
  std::int64_t contributors = 1;
  std::int64_t tiles = 1;
  std::int64_t copies = 1;  // devices that hold the same

 private:
  void number_tiles();
  void spread(const Mesh& mesh, std::int64_t run_devices);

  std::size_t rank_;
  std::pmr::vector<std::int32_t> places_;  // of every dimension and device
  std::pmr::vector<Interval> tiles_;       // of every device and dimension
  std::pmr::vector<Interval> cuts_;        // of every dimension and place
  base::FixedVector<std::size_t, kRankMax + 1> first_cut_;
};

// Elements that a device's tile of one tiling and another's of another have in common.
std::int64_t shared_elements(const Tiling& a, std::size_t device_a, const Tiling& b, std::size_t device_b);

// How many devices a run has at the least in which both types have their meshes.
std::int64_t run_devices(const ArrayType& a, const ArrayType& b);

}  // namespace tessera::synth
