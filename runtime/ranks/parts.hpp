// The devices' parts of a run's arenas, as addresses in this process: those of this rank and of near ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "runtime/memory/arena.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

// How every rank lays out the parts of its devices: all ranks know it of all.
class PartMap {
 public:
  // bytes[d] is what device d needs; devices beyond need nothing.
  PartMap(const DeviceRanks& ranks, std::span<const std::int64_t> bytes);

  const DeviceRanks& ranks() const { return ranks_; }
  // The size of a rank's arena, or of a place's share in it, and the begin of a device's part there.
  std::int64_t arena_bytes(int rank, const Share& share = {}) const;
  std::int64_t offset(int rank, std::int64_t device, const Share& share = {}) const;
  // The sizes of all shares.
  std::vector<std::int64_t> shares_bytes(int rank, int places) const;

 private:
  // The devices of a share among those that need something.
  Block block(int rank, const Share& share) const;

  DeviceRanks ranks_;
  std::vector<std::int64_t> begins_;  // of each device's part, and the end, as if one rank had them all
};

class Parts {
 public:
  // This rank's arena, with a part for each place; `offsets` say where each rank has put its own in the team's region.
  Parts(const Team& team, PartMap map, std::shared_ptr<Arena> arena, const std::vector<std::int64_t>& offsets);

  // A device's part; nullptr where a far rank has it.
  std::byte* part(std::int64_t device) const {
    const int rank = map_.ranks().owner(device);
    if (places_ > 1 && rank == rank_) return part_of_place(device);
    std::byte* const base = bases_[static_cast<std::size_t>(rank)];
    return base == nullptr ? nullptr : base + map_.offset(rank, device);
  }
  const DeviceRanks& ranks() const { return map_.ranks(); }
  const std::shared_ptr<Arena>& arena() const { return arena_; }

 private:
  std::byte* part_of_place(std::int64_t device) const;

  PartMap map_;
  std::shared_ptr<Arena> arena_;
  int rank_ = 0;
  int places_ = 1;
  std::vector<std::byte*> bases_;
};

}  // namespace tessera::runtime
