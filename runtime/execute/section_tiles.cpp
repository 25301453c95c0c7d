#include "runtime/execute/section_tiles.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

synth::Box part_of_box(synth::Box box, const CutDimensions& cut, const synth::Box& section) {
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (cut[d] != kUncut) box[d] = section[cut[d]];
  }
  return box;
}

TileMap map_of_section(const TileMap& whole, synth::ElementType element, const CutDimensions& cut,
                       const std::vector<synth::Box>& sections) {
  TileMap map{whole.mesh, {}, {}, 0, 0};
  for (std::size_t device = 0; device < whole.boxes.size(); ++device) {
    map.boxes.push_back(part_of_box(whole.boxes[device], cut, sections[device]));
    map.bytes.push_back(synth::elements(map.boxes.back()) * synth::bytes_of(element));
    map.bytes_max = std::max(map.bytes_max, map.bytes.back());
    map.bytes_total = add_bytes(map.bytes_total, map.bytes.back());
  }
  return map;
}

}  // namespace

SectionTiles::SectionTiles(const Storage& storage, const std::map<synth::RegisterId, CutDimensions>& cut,
                           const std::vector<synth::Box>& boxes)
    : storage_(&storage) {
  for (const auto& [id, dimensions] : cut) {
    if (std::any_of(dimensions.begin(), dimensions.end(), [](std::size_t d) { return d != kUncut; }))
      maps_.emplace(id, map_of_section(storage.tiles(id), storage.type(id).element(), dimensions, boxes));
  }
}

const TileMap& SectionTiles::tiles(synth::RegisterId id) const {
  const auto cut = maps_.find(id);
  return cut == maps_.end() ? storage_->tiles(id) : cut->second;
}

TileView SectionTiles::view(synth::RegisterId id, std::size_t device) const {
  const auto cut = maps_.find(id);
  return cut == maps_.end() ? storage_->view(id, device) : storage_->box_of(id, device, cut->second.boxes[device]);
}

TileOut SectionTiles::out(synth::RegisterId id, std::size_t device) const {
  TileOut out = storage_->out(id, device);
  const auto cut = maps_.find(id);
  if (cut == maps_.end()) return out;
  const synth::Box& box = cut->second.boxes[device];
  const TileView part =
      part_of(dense_view(out), begin_in(box, storage_->tiles(id).boxes[device]), synth::shape_of(box));
  TESSERA_CHECK(is_dense(part.shape, part.strides), "a result that is not dense is written as if it were");
  return {out.element, part.shape, out.data + (part.data - out.data)};
}

std::vector<SectionTiles> tiles_of_sections(const Storage& storage, const ChainSections& sections) {
  std::size_t most = 0;
  std::size_t dimensions = 0;
  for (const std::vector<synth::Box>& boxes : sections.boxes) {
    most = std::max(most, boxes.size());
    if (!boxes.empty()) dimensions = boxes[0].size();
  }
  const synth::Box nothing(dimensions, synth::Interval{0, 0});
  std::vector<SectionTiles> all;
  for (std::size_t k = 0; k < most; ++k) {
    std::vector<synth::Box> boxes;
    for (const std::vector<synth::Box>& own : sections.boxes) boxes.push_back(k < own.size() ? own[k] : nothing);
    all.emplace_back(storage, sections.cut, boxes);
  }
  return all;
}

}  // namespace tessera::runtime
