// The rows of a window that lie outside of the source's tile: a device that has rows [250, 500) of an array and wants a
// window of rows [251, 501) lacks one. Only such rows are copied, into memory beside the tile, and the rest is read
// where it lies. A row is all that stands behind one index of the first dimension.
//
//     u : f64[1000@x, 1000] on x:4      device 1 has rows [250, 500)
//     u[2:, 1:-1]                       it wants [252, 502): two rows are copied, 248 are read where they lie
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"

namespace tessera::runtime {

struct WindowEdges {
  // Of every device, the rows of its tile of the window that its tile of the source has; by their numbers in the
  // window. None: an empty interval at the tile's end.
  std::vector<synth::Interval> inside;
  // The memory of the others: those in front of `inside`, then those behind it, side by side.
  TileMap memory;

  bool is_inside(std::size_t device, const synth::Box& box) const {
    return inside[device].begin <= box[0].begin && box[0].end <= inside[device].end;
  }
};

// The edges of a window of this source that begins there, of which no device lacks anything but rows; null if no device
// lacks any, nullopt if the rows that are lacking are more than half of it.
std::optional<std::shared_ptr<const WindowEdges>> edges_of(const TileMap& window, const TileMap& source,
                                                           synth::ElementType element, const synth::Shape& begin);

// The memory that a register has in the arena: its tiles, or a window's edges.
const TileMap& memory_of(const MemoryPlan& plan, const TileMaps& tiles, synth::RegisterId id);

}  // namespace tessera::runtime
