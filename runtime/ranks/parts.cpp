#include "runtime/ranks/parts.hpp"

#include <algorithm>
#include <set>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

PartMap::PartMap(const Deal& deal, std::vector<std::int64_t> counts, std::span<const std::int64_t> bytes)
    : deal_(deal), counts_(std::move(counts)), begins_{0} {
  for (const std::int64_t part : bytes) begins_.push_back(add_bytes(begins_.back(), aligned(part)));
}

Block PartMap::hull(int rank) const {
  Block hull;
  for (const std::int64_t devices : counts_) {
    const Block block = deal_.block(rank, devices);
    if (block.empty()) continue;
    hull.begin = hull.empty() ? block.begin : std::min(hull.begin, block.begin);
    hull.end = std::max(hull.end, block.end);
  }
  return hull;
}

std::int64_t PartMap::offset(int rank, std::int64_t device) const {
  return begins_[static_cast<std::size_t>(device)] - begins_[static_cast<std::size_t>(hull(rank).begin)];
}

std::int64_t PartMap::arena_bytes(int rank) const { return offset(rank, hull(rank).end); }

std::int64_t PartMap::needed_bytes(int rank) const {
  std::vector<Block> blocks;
  for (const std::int64_t devices : counts_) blocks.push_back(deal_.block(rank, devices));
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.begin < b.begin; });
  std::int64_t bytes = 0;
  std::int64_t at = 0;
  for (const Block& block : blocks) {
    const std::int64_t begin = std::max(at, block.begin);
    if (begin >= block.end) continue;
    bytes += begins_[static_cast<std::size_t>(block.end)] - begins_[static_cast<std::size_t>(begin)];
    at = block.end;
  }
  return bytes;
}

std::vector<std::int64_t> device_counts(const synth::Program& program) {
  std::set<std::int64_t> counts;
  for (const synth::ArrayType& type : program.registers.items()) counts.insert(type.devices());
  return {counts.begin(), counts.end()};
}

Parts::Parts(const Team& team, PartMap map, std::shared_ptr<Arena> arena, const std::vector<std::int64_t>& offsets)
    : map_(std::move(map)), arena_(std::move(arena)) {
  for (int rank = 0; rank < team.size(); ++rank) {
    bases_.push_back(rank == team.rank() ? arena_->part(0)
                                         : team.near_memory(rank, offsets[static_cast<std::size_t>(rank)]));
  }
}

}  // namespace tessera::runtime
