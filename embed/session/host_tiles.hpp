// Tiles that a host program gives, as an array of a session.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/ranks/team.hpp"
#include "tessera/tessera.hpp"

namespace tessera::runtime {
class Engine;
}

namespace tessera::embed {

// The host's tiles for this rank's devices of the type's mesh, by number: without a team for all.
struct HostTiles {
  synth::ArrayType type;
  std::string printed;
  std::shared_ptr<runtime::Team> team;
  runtime::DeviceRanks ranks;
  std::shared_ptr<runtime::Engine> engine;  // the session's, where tiles are a GPU's
  std::vector<runtime::TileView> views;
  std::vector<int> gpus;  // whose memory each is; -1: a processor's
  bool wants_copy = false;

  bool is_on_gpus() const {
    return std::ranges::any_of(gpus, [](int gpu) { return gpu >= 0; });
  }
  runtime::Block devices() const { return devices_here(team.get(), ranks, type); }
  static runtime::Block devices_here(const runtime::Team* team, const runtime::DeviceRanks& ranks,
                                     const synth::ArrayType& type) {
    return ranks.block(team == nullptr ? 0 : team->rank(), type.mesh());
  }
};

// The memory of an array's tiles: ours, the host's, or some of both.
struct HeldMemory {
  std::shared_ptr<runtime::Arena> own;
  std::shared_ptr<const void> keep;
};
// The array whose tiles are at these addresses.
Array array_in(const HostTiles& tiles, HeldMemory memory, std::vector<const std::byte*> data, bool borrowed);

// Tiles on GPUs, each on the one where the session has its device: where they are if they are dense and aligned as
// those of runs, else copied there.
base::Result<Array> array_on_gpus(const HostTiles& tiles, const std::shared_ptr<const void>& keep);

}  // namespace tessera::embed
