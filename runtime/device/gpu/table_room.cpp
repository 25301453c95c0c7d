#include "runtime/device/gpu/table_room.hpp"

#include <algorithm>
#include <cstring>

#include "base/units_text.hpp"
#include "runtime/kinds.hpp"

namespace tessera::device {

namespace {

constexpr std::size_t kTableChunk = std::size_t{4} << 20U;
constexpr std::size_t kTableAligned = 256;

std::size_t table_room_of(std::size_t bytes) { return (bytes + kTableAligned - 1) / kTableAligned * kTableAligned; }

// Which entry to look at first, no more: bytes are compared.
std::uint64_t table_hash(std::span<const std::byte> bytes) {
  std::uint64_t hash = bytes.size();
  std::size_t at = 0;
  for (; at + sizeof(hash) <= bytes.size(); at += sizeof(hash)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  }
  for (; at < bytes.size(); ++at) hash = (hash ^ static_cast<std::uint64_t>(bytes[at])) * 0x9e3779b97f4a7c15U;
  return hash;
}

}  // namespace

TableRoom::~TableRoom() {
  const Current current(gpu_);
  for (const Chunk& chunk : chunks_) {
    memory_.give_back(chunk.device);
    gpu_.calls().free_pinned(chunk.host);
  }
}

base::Status TableRoom::begin() { return chunks_.empty() ? add_chunk(kTableChunk) : base::Done{}; }

base::Result<Address> TableRoom::find(std::span<const std::byte> bytes) {
  const std::uint64_t hash = table_hash(bytes);
  const auto [begin, end] = entries_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const Entry& entry = at->second;
    if (entry.size == bytes.size() && std::memcmp(entry.host, bytes.data(), bytes.size()) == 0) return entry.device;
  }
  return add(bytes, hash);
}

base::Result<Address> TableRoom::add(std::span<const std::byte> bytes, std::uint64_t hash) {
  TESSERA_TRY(found, chunk_for(bytes.size()));
  Chunk& chunk = *found;
  const Address device = chunk.device + chunk.used;
  std::byte* const host = chunk.host + chunk.used;
  chunk.used += table_room_of(bytes.size());
  used_ += table_room_of(bytes.size());
  if (bytes.empty()) return device;
  std::memcpy(host, bytes.data(), bytes.size());
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().copy_in(device, host, bytes.size(), gpu_.stream()), "a table"));
  entries_.emplace(hash, Entry{device, host, bytes.size()});
  return device;
}

base::Result<TableRoom::Chunk*> TableRoom::chunk_for(std::size_t bytes) {
  for (Chunk& chunk : chunks_) {
    if (chunk.used + table_room_of(bytes) <= chunk.size) return &chunk;
  }
  TESSERA_TRY_STATUS(add_chunk(std::max(kTableChunk, table_room_of(bytes))));
  return &chunks_.back();
}

base::Status TableRoom::add_chunk(std::size_t bytes) {
  Chunk chunk{0, nullptr, bytes, 0};
  void* host = nullptr;
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().allocate_pinned(&host, bytes), "pinned memory for tables"));
  chunk.host = static_cast<std::byte*>(host);
  chunk.device = memory_.take(static_cast<std::int64_t>(bytes));
  if (chunk.device == 0) {
    gpu_.calls().free_pinned(host);
    return no_room(gpu_, static_cast<std::int64_t>(bytes));
  }
  chunks_.push_back(chunk);
  return base::Done{};
}

bool TableRoom::is_crowded() const {
  std::size_t size = 0;
  for (const Chunk& chunk : chunks_) size += chunk.size;
  return used_ > size / 2;
}

// The stream may still be copying them.
base::Status TableRoom::forget() {
  TESSERA_TRY_STATUS(gpu_.wait());
  for (Chunk& chunk : chunks_) chunk.used = 0;
  entries_.clear();
  used_ = 0;
  return base::Done{};
}

}  // namespace tessera::device
