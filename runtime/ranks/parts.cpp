#include "runtime/ranks/parts.hpp"

#include <algorithm>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

PartMap::PartMap(const DeviceRanks& ranks, std::span<const std::int64_t> bytes) : ranks_(ranks), begins_{0} {
  for (const std::int64_t part : bytes) begins_.push_back(add_bytes(begins_.back(), aligned(part)));
}

Block PartMap::block(int rank, const Share& share) const {
  const Block all = ranks_.share(rank, share);
  const std::int64_t count = std::ssize(begins_) - 1;
  return {std::min(all.begin, count), std::min(all.end, count)};
}

std::int64_t PartMap::offset(int rank, std::int64_t device, const Share& share) const {
  return begins_[static_cast<std::size_t>(device)] - begins_[static_cast<std::size_t>(block(rank, share).begin)];
}

std::int64_t PartMap::arena_bytes(int rank, const Share& share) const {
  return offset(rank, block(rank, share).end, share);
}

std::vector<std::int64_t> PartMap::shares_bytes(int rank, int places) const {
  std::vector<std::int64_t> bytes;
  for (int place = 0; place < places; ++place) bytes.push_back(arena_bytes(rank, {place, places}));
  return bytes;
}

Parts::Parts(const Team& team, PartMap map, std::shared_ptr<Arena> arena, const std::vector<std::int64_t>& offsets)
    : map_(std::move(map)), arena_(std::move(arena)), rank_(team.rank()), places_(static_cast<int>(arena_->parts())) {
  for (int rank = 0; rank < team.size(); ++rank) {
    bases_.push_back(rank == team.rank() ? arena_->part(0)
                                         : team.near_memory(rank, offsets[static_cast<std::size_t>(rank)]));
  }
}

std::byte* Parts::part_of_place(std::int64_t device) const {
  const int place = map_.ranks().place(device, places_);
  return arena_->part(static_cast<std::size_t>(place)) + map_.offset(rank_, device, {place, places_});
}

}  // namespace tessera::runtime
