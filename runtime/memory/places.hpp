// Offsets for registers of several meshes: two may have the same bytes at once if their meshes share no device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "runtime/memory/free_list.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// The lowest offset that fits comes first, as in a FreeList, which serves where all registers are on the same devices.
class Places {
 public:
  Places(const TileMaps& tiles, const synth::Program& program);
  std::int64_t take(synth::RegisterId id, std::int64_t bytes);
  void give_back(synth::RegisterId id, std::int64_t begin, std::int64_t bytes);

 private:
  struct Taken {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t devices = 0;  // a number of a set of devices
    friend auto operator<=>(const Taken&, const Taken&) = default;
  };
  std::size_t set_of(const synth::MeshRef& mesh);
  void note_neighbours();

  std::vector<synth::MeshRef> sets_;         // a mesh of each set of devices
  std::vector<std::size_t> set_;             // of every register
  std::vector<std::vector<bool>> overlaps_;  // of every two sets: do they share a device?
  FreeList free_;                            // of one set only
  std::multiset<Taken> taken_;               // of several
};

}  // namespace tessera::runtime
