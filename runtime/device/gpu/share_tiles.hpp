// The registers of a step as one place sees them: those of the devices that it has.
#pragma once

#include <cstddef>

#include "base/check.hpp"
#include "runtime/engine/tiles.hpp"

namespace tessera::device {

class ShareTiles final : public runtime::Tiles {
 public:
  ShareTiles(const runtime::Tiles& all, const runtime::Share& share) : all_(all), share_(share) {}
  const synth::ArrayType& type(synth::RegisterId id) const override { return all_.type(id); }
  const runtime::TileMap& tiles(synth::RegisterId id) const override { return all_.tiles(id); }
  runtime::Block block(synth::RegisterId id) const override { return all_.share(id, share_); }
  runtime::Block share(synth::RegisterId id, const runtime::Share& share) const override {
    TESSERA_CHECK(share.of == 1, "a share is shared again");
    return block(id);
  }
  runtime::TileView view(synth::RegisterId id, std::size_t device) const override { return all_.view(id, device); }
  runtime::TileOut out(synth::RegisterId id, std::size_t device) const override { return all_.out(id, device); }
  std::byte* room(synth::RegisterId id, std::size_t device, std::int64_t offset) const override {
    return all_.room(id, device, offset);
  }

 private:
  const runtime::Tiles& all_;
  runtime::Share share_;
};

}  // namespace tessera::device
