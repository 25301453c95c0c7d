#include "runtime/memory/spares.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

// More are not kept: programs make the same few arrays over and over.
constexpr std::size_t kKeptMax = 8;

// Up to this size the system is not told that pages are free: the few that are kept are worth less than the calls,
// which take longer than a small program.
constexpr std::int64_t kKeptAsTheyAre = std::int64_t{64} << 10U;

// From this size on, pages of 2 MiB spare more time than the memory at their edges is worth.
constexpr std::int64_t kHugePagesFrom = std::int64_t{16} << 20U;

std::byte* map_new(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* const base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  if (bytes >= kHugePagesFrom) madvise(base, size, MADV_HUGEPAGE);
  return static_cast<std::byte*>(base);
}

}  // namespace

Spares::~Spares() {
  for (const Mapping& mapping : kept_) munmap(mapping.begin, static_cast<std::size_t>(mapping.bytes));
}

std::byte* Spares::take(std::int64_t bytes) {
  const std::int64_t wanted = in_pages(std::max<std::int64_t>(bytes, 1));
  const std::scoped_lock lock(mutex_);
  const auto fits = [&](const Mapping& mapping) { return mapping.bytes >= wanted && mapping.bytes / 2 <= wanted; };
  const auto found = std::find_if(kept_.begin(), kept_.end(), fits);
  const Mapping mapping = found == kept_.end() ? Mapping{map_new(wanted), wanted} : *found;
  if (found != kept_.end()) kept_.erase(found);
  if (mapping.begin != nullptr) taken_[mapping.begin] = mapping.bytes;
  return mapping.begin;
}

void Spares::give_back(std::byte* begin, std::int64_t /*bytes*/) {
  const std::scoped_lock lock(mutex_);
  const auto taken = taken_.find(begin);
  const Mapping mapping{begin, taken->second};
  taken_.erase(taken);
  if (mapping.bytes > kKeptAsTheyAre) madvise(mapping.begin, static_cast<std::size_t>(mapping.bytes), MADV_FREE);
  kept_.push_front(mapping);
  if (kept_.size() <= kKeptMax) return;
  munmap(kept_.back().begin, static_cast<std::size_t>(kept_.back().bytes));
  kept_.pop_back();
}

bool Spares::give_back_early(std::byte* begin, std::int64_t bytes) {
  if (bytes > kKeptAsTheyAre) madvise(begin, static_cast<std::size_t>(bytes), MADV_DONTNEED);
  return false;
}

}  // namespace tessera::runtime
