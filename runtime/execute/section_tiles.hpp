// The tiles of a chain in one of its sections (memory/sections.hpp): what is cut is seen as if a tile were the
// section's box alone, so that engines need to know nothing of edges. A result that is cut along more than the first
// dimension is not dense then.
#pragma once

#include <map>
#include <vector>

#include "runtime/engine/tiles.hpp"
#include "runtime/memory/sections.hpp"
#include "runtime/transfers/storage.hpp"

namespace tessera::runtime {

class SectionTiles final : public Tiles {
 public:
  // The box of every device.
  SectionTiles(const Storage& storage, const std::map<synth::RegisterId, CutDimensions>& cut,
               const std::vector<synth::Box>& boxes);

  const synth::ArrayType& type(synth::RegisterId id) const override { return storage_->type(id); }
  const TileMap& tiles(synth::RegisterId id) const override;
  Block block(synth::RegisterId id) const override { return storage_->block(id); }
  Block share(synth::RegisterId id, const Share& share) const override { return storage_->share(id, share); }
  TileView view(synth::RegisterId id, std::size_t device) const override;
  TileOut out(synth::RegisterId id, std::size_t device) const override;
  std::byte* room(synth::RegisterId id, std::size_t device, std::int64_t offset) const override {
    return storage_->room(id, device, offset);
  }

 private:
  const Storage* storage_;
  std::map<synth::RegisterId, TileMap> maps_;  // of what is cut
};

// One for each section, in order; devices with fewer sections have nothing in the others.
std::vector<SectionTiles> tiles_of_sections(const Storage& storage, const ChainSections& sections);

}  // namespace tessera::runtime
