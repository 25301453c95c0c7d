#include "runtime/memory/tile_maps.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

// Views are held of so many devices; each takes as much room as a box.
constexpr std::int64_t kDevicesOfViews = 64;

}  // namespace

TileMap make_tile_map(const synth::ArrayType& type) {
  TileMap map{type.mesh_ref(), {}, {}, 0, 0};
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    map.boxes.push_back(synth::tile(type, device));
    map.bytes.push_back(synth::elements(map.boxes.back()) * synth::bytes_of(type.element()));
    map.bytes_max = std::max(map.bytes_max, map.bytes.back());
    map.bytes_total = add_bytes(map.bytes_total, map.bytes.back());
    if (type.devices() <= kDevicesOfViews)
      map.views.push_back(dense_view(type.element(), synth::shape_of(map.boxes.back()), nullptr));
  }
  return map;
}

TileMaps::TileMaps(const synth::Program& program) {
  std::map<std::string, std::size_t> known;
  for (const synth::ArrayType& type : program.registers.items()) {
    const std::string key = synth::print(type.mesh()) + ' ' + synth::print(type, synth::Spacing::tight);
    const auto [entry, added] = known.emplace(key, maps_.size());
    if (added) maps_.push_back(make_tile_map(type));
    number_.push_back(entry->second);
    devices_ = std::max(devices_, type.mesh().devices_end());
  }
}

}  // namespace tessera::runtime
