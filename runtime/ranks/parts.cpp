#include "runtime/ranks/parts.hpp"

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

PartMap::PartMap(const DeviceRanks& ranks, std::span<const std::int64_t> bytes) : ranks_(ranks), begins_{0} {
  for (const std::int64_t part : bytes) begins_.push_back(add_bytes(begins_.back(), aligned(part)));
}

std::int64_t PartMap::offset(int rank, std::int64_t device) const {
  return begins_[static_cast<std::size_t>(device)] - begins_[static_cast<std::size_t>(block(rank).begin)];
}

std::int64_t PartMap::arena_bytes(int rank) const { return offset(rank, block(rank).end); }

Parts::Parts(const Team& team, PartMap map, std::shared_ptr<Arena> arena, const std::vector<std::int64_t>& offsets)
    : map_(std::move(map)), arena_(std::move(arena)) {
  for (int rank = 0; rank < team.size(); ++rank) {
    bases_.push_back(rank == team.rank() ? arena_->part(0)
                                         : team.near_memory(rank, offsets[static_cast<std::size_t>(rank)]));
  }
}

}  // namespace tessera::runtime
