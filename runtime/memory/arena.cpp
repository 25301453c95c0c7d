#include "runtime/memory/arena.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/units_text.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/bytes.hpp"
#include "runtime/memory/page_cache.hpp"

namespace tessera::runtime {

base::Status Arena::take(std::int64_t bytes, std::shared_ptr<Pool> pool) {
  const std::int64_t size = std::max(bytes, kAlignment);
  std::byte* const begin = pool->take(size);
  if (begin == nullptr)
    return base::make(Kind::out_of_memory_plan, base::exact_bytes_text(bytes),
                      std::string_view("the system does not give them"));
  taken_.push_back({begin, size, bytes, std::move(pool)});
  return base::Done{};
}

base::Result<std::shared_ptr<Arena>> Arena::reserve(std::span<const std::int64_t> bytes, std::shared_ptr<Pool> pool) {
  std::vector<std::int64_t> begins = {0};
  for (const std::int64_t part : bytes) begins.push_back(add_bytes(begins.back(), aligned(part)));
  const std::shared_ptr<Arena> arena(new Arena);
  TESSERA_TRY_STATUS(arena->take(begins.back(), pool == nullptr ? std::make_shared<PageCache>() : std::move(pool)));
  for (std::size_t k = 0; k < bytes.size(); ++k) arena->parts_.push_back(arena->taken_.front().begin + begins[k]);
  return arena;
}

base::Result<std::shared_ptr<Arena>> Arena::reserve(std::span<const std::int64_t> bytes,
                                                    std::span<const std::shared_ptr<Pool>> pools) {
  if (bytes.size() == 1) return reserve(bytes, pools.front());
  const std::shared_ptr<Arena> arena(new Arena);
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    TESSERA_TRY_STATUS(arena->take(aligned(bytes[k]), pools[k]));
    arena->parts_.push_back(arena->taken_.back().begin);
  }
  return arena;
}

Arena::~Arena() {
  std::sort(gone_.begin(), gone_.end());
  for (const Taken& taken : taken_) {
    const std::byte* const end = taken.begin + taken.bytes;
    std::byte* at = taken.begin;
    for (const auto& [begin, bytes] : gone_) {
      if (begin < taken.begin || begin >= end) continue;
      if (begin > at) taken.pool->give_back(at, begin - at);
      at += begin + bytes - at;
    }
    if (end > at) taken.pool->give_back(at, end - at);
  }
}

std::vector<std::shared_ptr<Pool>> Arena::pools() const {
  std::vector<std::shared_ptr<Pool>> pools;
  for (const Taken& taken : taken_) pools.push_back(taken.pool);
  return pools;
}

void Arena::release(const std::byte* begin, std::int64_t bytes) const {
  for (const Taken& taken : taken_) {
    if (begin >= taken.begin && begin < taken.begin + taken.bytes) release_in(taken, begin, bytes);
  }
}

void Arena::release_in(const Taken& taken, const std::byte* begin, std::int64_t bytes) const {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  const auto address =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(begin) % static_cast<std::uintptr_t>(page));
  const std::int64_t head = (page - address) % page;
  const std::int64_t whole = bytes - head - (address + bytes) % page;
  if (whole <= 0 || !taken.pool->give_back_early(const_cast<std::byte*>(begin) + head, whole)) return;
  const std::scoped_lock lock(mutex_);
  gone_.emplace_back(begin + head, whole);
}

void Arena::release_all_but(std::vector<Range> kept) const {
  std::sort(kept.begin(), kept.end());
  for (const Taken& taken : taken_) {
    const std::byte* const end = taken.begin + taken.used;
    const std::byte* at = taken.begin;
    for (const auto& [begin, bytes] : kept) {
      if (begin < taken.begin || begin >= end) continue;
      if (begin > at) release_in(taken, at, begin - at);
      at = std::max(at, begin + bytes);
    }
    release_in(taken, at, end - at);
  }
}

std::shared_ptr<const Arena> lease(std::shared_ptr<const Arena> arena, std::vector<Arena::Range> ranges) {
  const Arena* const raw = arena.get();
  return {raw, [held = std::move(arena), kept = std::move(ranges)](const Arena* of) {
            if (held.use_count() == 1) return;  // the arena goes with it, and its pool knows what to do with the pages
            for (const auto& [begin, bytes] : kept) of->release(begin, bytes);
          }};
}

}  // namespace tessera::runtime
