#include "runtime/memory/window_edges.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

bool holds(const synth::Box& outer, const synth::Box& inner) {
  for (std::size_t d = 0; d < outer.size(); ++d) {
    if (inner[d].begin < outer[d].begin || inner[d].end > outer[d].end) return false;
  }
  return true;
}

synth::Box inside_of(const synth::Box& box, const synth::Box& around, const synth::Shape& begin) {
  synth::Box inside = box;
  for (std::size_t d = 0; d < box.size(); ++d) {
    inside[d] = {std::max(box[d].begin, around[d].begin - begin[d]), std::min(box[d].end, around[d].end - begin[d])};
    if (inside[d].begin < inside[d].end) continue;
    inside = box;
    inside[0] = {box[0].end, box[0].end};
    return inside;
  }
  return inside;
}

std::vector<EdgeSlab> slabs_around(const synth::Box& inside, const synth::Box& box, std::int64_t element_bytes) {
  std::vector<EdgeSlab> slabs;
  std::int64_t offset = 0;
  const auto add = [&](synth::Box slab, std::size_t d, std::int64_t begin, std::int64_t end) {
    slab[d] = {begin, end};
    if (begin >= end || synth::empty(slab)) return;
    const std::int64_t bytes = synth::elements(slab) * element_bytes;
    slabs.push_back({std::move(slab), offset});
    offset += bytes;
  };
  synth::Box rest = box;
  for (std::size_t d = 0; d < box.size(); ++d) {
    add(rest, d, box[d].begin, inside[d].begin);
    add(rest, d, inside[d].end, box[d].end);
    rest[d] = inside[d];
  }
  return slabs;
}

std::vector<synth::Box> single_slabs(const WindowEdges& edges) {
  std::vector<synth::Box> boxes;
  for (std::size_t device = 0; device < edges.slabs.size(); ++device) {
    const std::vector<EdgeSlab>& own = edges.slabs[device];
    if (own.size() > 1) return {};
    boxes.push_back(own.empty() ? synth::Box(edges.inside[device].size(), synth::Interval{0, 0}) : own[0].box);
  }
  return boxes;
}

}  // namespace

bool WindowEdges::is_inside(std::size_t device, const synth::Box& box) const { return holds(inside[device], box); }

const EdgeSlab& WindowEdges::slab_of(std::size_t device, const synth::Box& box) const {
  const std::vector<EdgeSlab>& own = slabs[device];
  const auto found = std::find_if(own.begin(), own.end(), [&](const EdgeSlab& slab) { return holds(slab.box, box); });
  TESSERA_CHECK(found != own.end(), "a box lies across a window's edges");
  return *found;
}

bool WindowEdges::lacks(const TileMap& window, std::size_t dimension) const {
  for (std::size_t device = 0; device < inside.size(); ++device) {
    if (inside[device][dimension] != window.boxes[device][dimension]) return true;
  }
  return false;
}

std::optional<std::shared_ptr<const WindowEdges>> edges_of(const TileMap& window, const TileMap& source,
                                                           synth::ElementType element, const synth::Shape& begin,
                                                           std::optional<synth::LiteralId> frame) {
  auto edges = std::make_shared<WindowEdges>();
  TileMap& memory = edges->memory;
  memory.mesh = window.mesh;
  edges->frame = frame;
  const std::int64_t element_bytes = synth::bytes_of(element);
  for (std::size_t device = 0; device < window.boxes.size(); ++device) {
    const synth::Box& box = window.boxes[device];
    edges->inside.push_back(inside_of(box, source.boxes[device], begin));
    const auto& slabs = edges->slabs.emplace_back(slabs_around(edges->inside.back(), box, element_bytes));
    const std::int64_t bytes =
        slabs.empty() ? 0 : slabs.back().offset + synth::elements(slabs.back().box) * element_bytes;
    memory.bytes.push_back(bytes);
    memory.bytes_max = std::max(memory.bytes_max, bytes);
    memory.bytes_total = add_bytes(memory.bytes_total, bytes);
    memory.boxes.push_back({synth::Interval{0, bytes / element_bytes}});
  }
  if (memory.bytes_total == 0) return nullptr;
  edges->outside = single_slabs(*edges);
  if (memory.bytes_total > window.bytes_total / 2) return std::nullopt;
  return edges;
}

const TileMap& memory_of(const MemoryPlan& plan, const TileMaps& tiles, synth::RegisterId id) {
  const auto& edges = plan[id].edges;
  return edges == nullptr ? tiles[id] : edges->memory;
}

}  // namespace tessera::runtime
