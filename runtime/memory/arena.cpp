#include "runtime/memory/arena.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/units_text.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/bytes.hpp"
#include "runtime/memory/page_cache.hpp"

namespace tessera::runtime {

base::Result<std::shared_ptr<Arena>> Arena::reserve(std::span<const std::int64_t> bytes, std::shared_ptr<Pool> pool) {
  std::vector<std::int64_t> begins = {0};
  for (const std::int64_t part : bytes) begins.push_back(add_bytes(begins.back(), aligned(part)));
  const std::int64_t size = std::max(begins.back(), kAlignment);
  if (pool == nullptr) pool = std::make_shared<PageCache>();
  std::byte* const base = pool->take(size);
  if (base == nullptr)
    return base::make(Kind::out_of_memory_plan, base::exact_bytes_text(begins.back()),
                      std::string_view("the system does not give them"));
  return std::shared_ptr<Arena>(new Arena(base, std::move(begins), std::move(pool)));
}

Arena::~Arena() {
  std::sort(gone_.begin(), gone_.end());
  const std::byte* const end = base_ + std::max(begins_.back(), kAlignment);
  std::byte* at = base_;
  for (const auto& [begin, bytes] : gone_) {
    if (begin > at) pool_->give_back(at, begin - at);
    at += begin + bytes - at;
  }
  if (end > at) pool_->give_back(at, end - at);
}

void Arena::release(const std::byte* begin, std::int64_t bytes) const {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  const auto address =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(begin) % static_cast<std::uintptr_t>(page));
  const std::int64_t head = (page - address) % page;
  const std::int64_t whole = bytes - head - (address + bytes) % page;
  if (whole <= 0 || !pool_->give_back_early(const_cast<std::byte*>(begin) + head, whole)) return;
  const std::scoped_lock lock(mutex_);
  gone_.emplace_back(begin + head, whole);
}

void Arena::release_all_but(std::vector<Range> kept) const {
  std::sort(kept.begin(), kept.end());
  const std::byte* at = base_;
  for (const auto& [begin, bytes] : kept) {
    if (begin > at) release(at, begin - at);
    at = std::max(at, begin + bytes);
  }
  release(at, base_ + begins_.back() - at);
}

std::shared_ptr<const Arena> lease(std::shared_ptr<const Arena> arena, std::vector<Arena::Range> ranges) {
  const Arena* const raw = arena.get();
  return {raw, [held = std::move(arena), kept = std::move(ranges)](const Arena* of) {
            if (held.use_count() == 1) return;  // the arena goes with it, and its pool knows what to do with the pages
            for (const auto& [begin, bytes] : kept) of->release(begin, bytes);
          }};
}

}  // namespace tessera::runtime
