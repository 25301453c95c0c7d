#include "runtime/execute/section_tiles.hpp"

#include <algorithm>
#include <utility>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

TileMap map_of_rows(const TileMap& whole, synth::ElementType element, const std::vector<synth::Interval>& rows) {
  TileMap map{whole.mesh, whole.boxes, {}, 0, 0};
  for (std::size_t device = 0; device < map.boxes.size(); ++device) {
    synth::Box& box = map.boxes[device];
    box[0] = {box[0].begin + rows[device].begin, box[0].begin + rows[device].end};
    map.bytes.push_back(synth::elements(box) * synth::bytes_of(element));
    map.bytes_max = std::max(map.bytes_max, map.bytes.back());
    map.bytes_total = add_bytes(map.bytes_total, map.bytes.back());
  }
  return map;
}

}  // namespace

SectionTiles::SectionTiles(const Storage& storage, const std::set<synth::RegisterId>& cut,
                           std::vector<synth::Interval> rows)
    : storage_(&storage), rows_(std::move(rows)) {
  for (const synth::RegisterId id : cut)
    maps_.emplace(id, map_of_rows(storage.tiles(id), storage.type(id).element(), rows_));
}

const TileMap& SectionTiles::tiles(synth::RegisterId id) const {
  const auto cut = maps_.find(id);
  return cut == maps_.end() ? storage_->tiles(id) : cut->second;
}

TileView SectionTiles::view(synth::RegisterId id, std::size_t device) const {
  return maps_.contains(id) ? storage_->rows(id, device, rows_[device]) : storage_->view(id, device);
}

TileOut SectionTiles::out(synth::RegisterId id, std::size_t device) const {
  TileOut out = storage_->out(id, device);
  const auto cut = maps_.find(id);
  if (cut == maps_.end()) return out;
  const TileView rows = part_of(dense_view(out), begin_in(cut->second.boxes[device], storage_->tiles(id).boxes[device]),
                                synth::shape_of(cut->second.boxes[device]));
  return {out.element, rows.shape, out.data + (rows.data - out.data)};
}

std::vector<SectionTiles> tiles_of_sections(const Storage& storage, const ChainSections& sections) {
  std::size_t most = 0;
  for (const std::vector<synth::Interval>& rows : sections.rows) most = std::max(most, rows.size());
  std::vector<SectionTiles> all;
  for (std::size_t k = 0; k < most; ++k) {
    std::vector<synth::Interval> rows;
    for (const std::vector<synth::Interval>& own : sections.rows)
      rows.push_back(k < own.size() ? own[k] : synth::Interval{0, 0});
    all.emplace_back(storage, sections.cut, std::move(rows));
  }
  return all;
}

}  // namespace tessera::runtime
