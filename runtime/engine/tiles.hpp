// What a step has to know of the registers that it reads and writes: where their tiles lie, and nothing of ranks.
#pragma once

#include <cstddef>

#include "runtime/kernels/tile.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

class Tiles {
 public:
  virtual ~Tiles() = default;
  virtual const synth::ArrayType& type(synth::RegisterId id) const = 0;
  virtual const TileMap& tiles(synth::RegisterId id) const = 0;
  // The devices of a register that this process has, by their numbers in its mesh.
  virtual Block block(synth::RegisterId id) const = 0;
  // Those of them that a place of the engine has.
  virtual Block share(synth::RegisterId id, const Share& share) const = 0;
  // A device's tile to read, and one to write. The addresses are those of the engine's memory.
  virtual TileView view(synth::RegisterId id, std::size_t device) const = 0;
  virtual TileOut out(synth::RegisterId id, std::size_t device) const = 0;
  // Where the tile to read begins, for steps of a single element that need to know no more.
  virtual const std::byte* data(synth::RegisterId id, std::size_t device) const { return view(id, device).data; }
  // What a register's device has at this offset of its memory, beside its arrays: a step's own room.
  virtual std::byte* room(synth::RegisterId id, std::size_t device, std::int64_t offset) const = 0;
};

}  // namespace tessera::runtime
