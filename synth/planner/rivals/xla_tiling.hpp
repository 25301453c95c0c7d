// Private to synth: shardings as XLA has them, and the operations of its partitioner on one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::synth::xla {

using Counts = std::vector<std::int64_t>;
using Devices = std::vector<std::int32_t>;

// An array of devices with a dimension for each dimension of the array, of as many entries as that is cut into tiles,
// and a last one along which devices hold the same tile. No axes: only the order of the devices is known. Devices that
// hold the same tile are in ascending order, so equal tilings compare equal.
struct Tiling {
  Counts counts;
  std::int64_t copies = 1;
  Devices devices;  // row-major, the copies of a tile side by side
  friend bool operator==(const Tiling&, const Tiling&) = default;
};

inline std::int64_t device_count(const Tiling& tiling) { return static_cast<std::int64_t>(tiling.devices.size()); }
// Does every device hold everything?
inline bool is_replicated(const Tiling& tiling) { return tiling.copies == device_count(tiling); }
// Has it the last dimension? XLA has a form of its own for arrays that are replicated entirely.
inline bool has_copies(const Tiling& tiling) { return tiling.copies > 1 && !is_replicated(tiling); }

// The tiling in which every device holds the tiles at its places; `places` has a list for every dimension, with an
// entry for every device.
Tiling tiling_of_places(const Counts& counts, const std::vector<Devices>& places, std::size_t devices);
// The reverse of it: every device's place along every dimension.
std::vector<Devices> places_of(const Tiling& tiling);

// The same devices in the same order, cut otherwise.
Tiling reshaped(const Tiling& tiling, Counts counts, std::int64_t copies);
// The minor part of a dimension's cuts goes: `count`, which divides what it had, are left.
Tiling gathered(const Tiling& tiling, std::size_t dimension, std::int64_t count);
// The minor part of the cuts of `from` becomes the minor part of those of `to`: the two counts change places. Nothing
// unless that of `to` divides that of `from`.
std::optional<Tiling> with_moved_cuts(const Tiling& tiling, std::size_t from, std::size_t to);
// The copies become the cuts of a dimension that has none.
Tiling with_copies_on(const Tiling& tiling, std::size_t dimension);

// Do the two differ in nothing but the order of devices?
bool is_permutation(const Tiling& a, const Tiling& b);
// A tiling with the counts of `tiled` whose every tile lies inside the tile of `part` that its holder has: `tiled`
// itself where that is one. Nothing where a count of `tiled` is no multiple.
std::optional<Tiling> compatible(const Tiling& part, const Tiling& tiled);

// Devices with equal places along some dimensions, in groups; inside a group devices are known by their number there.
struct Grouped {
  std::vector<std::size_t> dimensions;
  Counts counts;  // of those dimensions
  std::vector<Devices> groups;
  Tiling inner;  // in every group; those dimensions are whole
};
Grouped grouped(const Tiling& tiling, const std::vector<std::size_t>& dimensions);
Tiling ungrouped(const Grouped& grouped, const Tiling& inner);
// The inner tiling of `grouped` for the groups of `reference`: renumbered where the groups hold the same devices, and
// as it is where they do not.
Tiling aligned(const Grouped& grouped, const Grouped& reference);

}  // namespace tessera::synth::xla
