#include "runtime/memory/arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

base::Result<std::shared_ptr<Arena>> Arena::reserve(std::span<const std::int64_t> bytes) {
  std::vector<std::int64_t> begins = {0};
  for (const std::int64_t part : bytes) begins.push_back(add_bytes(begins.back(), aligned(part)));
  const auto size = static_cast<std::size_t>(std::max(begins.back(), kAlignment));
  void* const base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return base::make(base::Kind::out_of_memory_plan, begins.back(), std::string_view("the system does not give them"));
  return std::shared_ptr<Arena>(new Arena(static_cast<std::byte*>(base), std::move(begins)));
}

Arena::~Arena() { munmap(base_, static_cast<std::size_t>(std::max(begins_.back(), kAlignment))); }

void Arena::release(const std::byte* begin, std::int64_t bytes) const {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  // The mapping begins with a page.
  const std::int64_t first = (begin - base_ + page - 1) / page * page;
  const std::int64_t last = (begin - base_ + bytes) / page * page;
  if (first < last) madvise(base_ + first, static_cast<std::size_t>(last - first), MADV_DONTNEED);
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
            for (const auto& [begin, bytes] : kept) of->release(begin, bytes);
          }};
}

}  // namespace tessera::runtime
