// Where the devices' parts of a run's arenas are, in this process's addresses: those of this rank and of near ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/memory/arena.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

// How every rank lays out the parts of the devices that it may have: all ranks know it of all.
class PartMap {
 public:
  // `counts`: the numbers of devices that the arrays have; bytes[d] is what device d needs.
  PartMap(const Deal& deal, std::vector<std::int64_t> counts, std::span<const std::int64_t> bytes);

  const Deal& deal() const { return deal_; }
  // Of a rank's arena: its size, and where a device's part begins.
  std::int64_t arena_bytes(int rank) const;
  std::int64_t offset(int rank, std::int64_t device) const;
  // Of the parts that the rank has; an arena has room for those between them too.
  std::int64_t needed_bytes(int rank) const;

 private:
  // All devices between the first and the last that the rank may have.
  Block hull(int rank) const;

  Deal deal_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> begins_;  // of each device's part, and the end, as if one rank had them all
};

// The numbers of devices that a program's arrays have.
std::vector<std::int64_t> device_counts(const synth::Program& program);

class Parts {
 public:
  // This rank's arena; `offsets` say where each rank has put its own in the team's region.
  Parts(const Team& team, PartMap map, std::shared_ptr<Arena> arena, const std::vector<std::int64_t>& offsets);

  // The part of a device of an array on so many; nullptr where a far rank has it.
  std::byte* part(std::int64_t device, std::int64_t devices) const {
    const int rank = map_.deal().owner(device, devices);
    std::byte* const base = bases_[static_cast<std::size_t>(rank)];
    return base == nullptr ? nullptr : base + map_.offset(rank, device);
  }
  const std::shared_ptr<Arena>& arena() const { return arena_; }

 private:
  PartMap map_;
  std::shared_ptr<Arena> arena_;
  std::vector<std::byte*> bases_;
};

}  // namespace tessera::runtime
