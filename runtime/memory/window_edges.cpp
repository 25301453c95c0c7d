#include "runtime/memory/window_edges.hpp"

#include <algorithm>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

synth::Interval inside_of(const synth::Box& box, const synth::Box& around, std::int64_t begin) {
  const synth::Interval inside{std::max(box[0].begin, around[0].begin - begin),
                               std::min(box[0].end, around[0].end - begin)};
  return inside.begin < inside.end ? inside : synth::Interval{box[0].end, box[0].end};
}

}  // namespace

std::optional<std::shared_ptr<const WindowEdges>> edges_of(const TileMap& window, const TileMap& source,
                                                           synth::ElementType element, const synth::Shape& begin) {
  auto edges = std::make_shared<WindowEdges>();
  edges->memory.mesh = window.mesh;
  for (std::size_t device = 0; device < window.boxes.size(); ++device) {
    const synth::Box& box = window.boxes[device];
    const synth::Interval inside = inside_of(box, source.boxes[device], begin[0]);
    synth::Box outside = box;
    outside[0].end -= inside.length();
    TileMap& memory = edges->memory;
    edges->inside.push_back(inside);
    memory.bytes.push_back(synth::elements(outside) * synth::bytes_of(element));
    memory.bytes_max = std::max(memory.bytes_max, memory.bytes.back());
    memory.bytes_total = add_bytes(memory.bytes_total, memory.bytes.back());
    memory.boxes.push_back(std::move(outside));
  }
  if (edges->memory.bytes_total == 0) return nullptr;
  if (edges->memory.bytes_total > window.bytes_total / 2) return std::nullopt;
  return edges;
}

const TileMap& memory_of(const MemoryPlan& plan, const TileMaps& tiles, synth::RegisterId id) {
  const auto& edges = plan[id].edges;
  return edges == nullptr ? tiles[id] : edges->memory;
}

}  // namespace tessera::runtime
