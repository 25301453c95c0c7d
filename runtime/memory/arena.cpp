#include "runtime/memory/arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

// Nothing if the system has no room.
std::byte* map_alone(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* const base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

}  // namespace

base::Result<std::shared_ptr<Arena>> Arena::reserve(std::span<const std::int64_t> bytes,
                                                    std::shared_ptr<Region> region) {
  std::vector<std::int64_t> begins = {0};
  for (const std::int64_t part : bytes) begins.push_back(add_bytes(begins.back(), aligned(part)));
  const std::int64_t size = std::max(begins.back(), kAlignment);
  std::byte* const base = region == nullptr ? map_alone(size) : region->take(size);
  if (base == nullptr)
    return base::make(base::Kind::out_of_memory_plan, begins.back(), std::string_view("the system does not give them"));
  return std::shared_ptr<Arena>(new Arena(base, std::move(begins), std::move(region)));
}

Arena::~Arena() {
  const std::int64_t size = std::max(begins_.back(), kAlignment);
  if (region_ == nullptr)
    munmap(base_, static_cast<std::size_t>(size));
  else
    region_->give_back(base_, size);
}

void Arena::release(const std::byte* begin, std::int64_t bytes) const {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  const auto address =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(begin) % static_cast<std::uintptr_t>(page));
  const std::int64_t head = (page - address) % page;
  const std::int64_t whole = bytes - head - (address + bytes) % page;
  const int advice = region_ == nullptr ? MADV_DONTNEED : MADV_REMOVE;
  if (whole > 0) madvise(const_cast<std::byte*>(begin) + head, static_cast<std::size_t>(whole), advice);
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
