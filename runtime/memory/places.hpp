// Offsets for registers of several meshes: two may have the same bytes at once if their meshes share no device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/memory/free_list.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// The lowest offset that fits comes first, as in a FreeList, which serves where all registers are on the same devices.
// A pipeline takes places for as many microbatches as there are, so that taking one must not look at all others.
class Places {
 public:
  Places(const TileMaps& tiles, const synth::Program& program);
  std::int64_t take(synth::RegisterId id, std::int64_t bytes);
  void give_back(synth::RegisterId id, std::int64_t begin, std::int64_t bytes);

 private:
  // What is taken on a set of devices, and how far a search may leave out: nothing of so many bytes fits before.
  struct OfSet {
    std::map<std::int64_t, std::int64_t> taken;  // begin, end; no two overlap
    std::int64_t size = 0;
    std::int64_t full_until = 0;
  };
  std::size_t set_of(const synth::MeshRef& mesh);
  void note_neighbours();
  std::int64_t gap_around(std::size_t devices, std::int64_t at) const;
  std::int64_t first_fit(std::size_t devices, std::int64_t size, std::int64_t begin) const;

  std::vector<synth::MeshRef> sets_;                  // a mesh of each set of devices
  std::vector<std::size_t> set_;                      // of every register
  std::vector<std::vector<std::size_t>> neighbours_;  // of every set: those that share a device with it, itself too
  FreeList free_;                                     // of one set only
  std::vector<OfSet> of_set_;                         // of several
};

}  // namespace tessera::runtime
