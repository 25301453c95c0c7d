// The tiles of every register of a program, computed once for each distinct type.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/kernels/tile.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

struct TileMap {
  synth::MeshRef mesh;
  std::vector<synth::Box> boxes;    // of every device, by its number in the mesh
  std::vector<std::int64_t> bytes;  // of every device
  std::int64_t bytes_max = 0;
  std::int64_t bytes_total = 0;  // stops at the largest number
  // Of every device its dense tile, still without memory, which steps of loops ask for often; none if there are many.
  std::vector<TileView> views = {};
};

TileMap make_tile_map(const synth::ArrayType& type);

class TileMaps {
 public:
  explicit TileMaps(const synth::Program& program);
  const TileMap& operator[](synth::RegisterId id) const { return maps_[number_[id.value]]; }
  // 1 + the largest device of the run that any register has.
  std::int64_t devices() const { return devices_; }

 private:
  std::vector<TileMap> maps_;
  std::vector<std::size_t> number_;  // of every register
  std::int64_t devices_ = 1;
};

}  // namespace tessera::runtime
