// The elements of a window that lie outside of the source's tile. A device that has rows [250, 500) of an array and
// wants a window of rows [251, 501) lacks one; where columns are split too, it lacks some at the sides. Only those are
// copied, into memory beside the tile, and the rest is read where it lies.
//
//     u : f64[1000@x, 1000] on x:4      device 1 has rows [250, 500)
//     u[2:, 1:-1]                       it wants [252, 502): two rows are copied, 248 are read where they lie
//
// A window may see its source in a frame, what `pad` makes: outside of the source all elements are one number, which
// is written to the edges before the copies.
//
//     v = pad(u, [[1, 1], [1, 1]])      v[:-2, 1:-1] has a row of the frame in front of u's rows
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"

namespace tessera::runtime {

// A box of a window, dense in the memory of its edges.
struct EdgeSlab {
  synth::Box box;
  std::int64_t offset = 0;  // in bytes, from where the edges of the device begin
};

struct WindowEdges {
  // Of every device, the part of its tile of the window that its tile of the source has, in the window's positions. If
  // that is nothing, it is empty at the end of the first dimension.
  std::vector<synth::Box> inside;
  // Of every device, the rest of its tile: what is in front of `inside` along the first dimension, and what is behind;
  // then, of the rows of `inside`, the same along the next dimension; and so on.
  std::vector<std::vector<EdgeSlab>> slabs;
  std::vector<synth::Box> outside;        // of every device, its slab, or an empty box; none if a device has several
  TileMap memory;                         // of all slabs of a device, side by side: as one line
  std::optional<synth::LiteralId> frame;  // the program's literal that lies around the source

  bool is_inside(std::size_t device, const synth::Box& box) const;
  // The slab that has this box.
  const EdgeSlab& slab_of(std::size_t device, const synth::Box& box) const;
  // Does some device lack elements along the dimension?
  bool lacks(const TileMap& window, std::size_t dimension) const;
};

// The edges of a window of this source that begins there; null if no device lacks anything, nullopt if what they lack
// is more than half of it.
std::optional<std::shared_ptr<const WindowEdges>> edges_of(const TileMap& window, const TileMap& source,
                                                           synth::ElementType element, const synth::Shape& begin,
                                                           std::optional<synth::LiteralId> frame = {});

// The memory that a register has in the arena: its tiles, or a window's edges.
const TileMap& memory_of(const MemoryPlan& plan, const TileMaps& tiles, synth::RegisterId id);

}  // namespace tessera::runtime
