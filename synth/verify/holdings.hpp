// Private to verify: where every device stands in a layout, worked out from the axes alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth::verifier {

inline constexpr std::int64_t kExplicitDevicesMax = 512;

using Numbers = std::vector<std::int64_t>;

// The begin of the k-th of `count` parts of a stretch of that length: floor(k * length / count).
std::int64_t part_begin(std::int64_t length, std::int64_t count, std::int64_t k);

// A device's position along a list of axes.
std::int64_t place_of(const Mesh& mesh, const AxisList& axes, std::int64_t device);
Numbers places(const Mesh& mesh, const AxisList& axes);
std::int64_t product_of_sizes(const AxisList& axes);

// Do the axes name parts of the mesh that do not overlap? Then every position along them is taken equally often.
bool independent(const Mesh& mesh, const AxisList& axes);

// The device with the same coordinates but position 0 along the axes: what the members of a group share.
Numbers group_leaders(const Mesh& mesh, const AxisList& axes);

inline Interval common(const Interval& a, const Interval& b) {
  return Interval{std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

struct Holdings {
  explicit Holdings(const ArrayType& type);

  std::int64_t devices() const { return static_cast<std::int64_t>(pending.size()); }
  const Interval& interval(std::size_t dimension, std::int64_t device) const {
    return tile[dimension][static_cast<std::size_t>(device)];
  }
  std::int64_t elements(std::int64_t device) const;
  // The number of a device of the run; -1 if it is not of the mesh.
  std::int64_t number_of(std::int64_t run_device) const;
  // The step from a layout to the next: axes become trailing on a dimension, or leave it; false where they are not
  // trailing there, or no layout is cut so finely.
  bool enter(std::size_t dimension, const Mesh& mesh, const AxisList& axes);
  bool leave(std::size_t dimension, const Mesh& mesh, const AxisList& axes);
  // A number for every device, the same for devices with the same places.
  Numbers tile_numbers() const;

  // The begin of the tile at a place of the dimension; the last ends where another would begin.
  std::int64_t begin(std::size_t dimension, std::int64_t at) const;
  // Is the dimension cut where the other's is, into as many tiles?
  bool cut_as(const Holdings& other, std::size_t dimension) const;

  Shape extents;
  Numbers ids;                              // of every device which it is of the run, ascending
  Numbers shards;                           // of every dimension
  std::vector<Numbers> place;               // of every dimension and device
  std::vector<std::vector<Interval>> tile;  // of every dimension and device
  Numbers pending;                          // of every device: its position along the pending axes
  std::int64_t contributors;                // positions along the pending axes

 private:
  // The begins of each dimension's tiles as shares: numerators by place, the last of which is the denominator. Empty
  // where all tiles have equal shares.
  std::vector<Numbers> shares;

  void cut(std::size_t dimension);  // its tiles, from its shares and places
};

// Elements that a device's tile of `a` and another's of `b` have in common.
std::int64_t shared_elements(const Holdings& a, std::int64_t device_a, const Holdings& b, std::int64_t device_b);

// The elements of a device's tile after a step that it held before it; the meshes may be two.
std::int64_t held_elements(const Holdings& before, const Holdings& after, std::int64_t device);

// Numbers of a mesh's devices by device of the run, up to its last.
Numbers by_run_device(const Holdings& standing, const Numbers& numbers);

}  // namespace tessera::synth::verifier
