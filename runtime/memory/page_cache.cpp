#include "runtime/memory/page_cache.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

// More are not kept: programs make the same few arrays over and over.
constexpr std::size_t kKeptMax = 8;

// From this size on, pages of 2 MiB spare more time than the memory at their edges is worth.
constexpr std::int64_t kHugePagesFrom = std::int64_t{16} << 20U;

// Pages of less are not worth a call of the system: they stay as they are until they are used again.
constexpr std::int64_t kSmall = std::int64_t{256} << 10U;

std::byte* map_new(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* const base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  if (bytes >= kHugePagesFrom) madvise(base, size, MADV_HUGEPAGE);
  return static_cast<std::byte*>(base);
}

}  // namespace

PageCache::~PageCache() {
  for (const Mapping& mapping : kept_) munmap(mapping.begin, static_cast<std::size_t>(mapping.bytes));
}

std::byte* PageCache::take(std::int64_t bytes) {
  const std::int64_t wanted = in_pages(std::max<std::int64_t>(bytes, 1));
  const std::scoped_lock lock(mutex_);
  const auto fits = [&](const Mapping& mapping) { return mapping.bytes >= wanted && mapping.bytes / 2 <= wanted; };
  const auto found = std::find_if(kept_.begin(), kept_.end(), fits);
  Mapping mapping{};
  if (found != kept_.end()) {
    mapping = *found;
    kept_.erase(found);
  } else {
    std::byte* const begin = map_new(wanted);
    mapping = {begin, wanted, begin};
  }
  if (mapping.begin != nullptr) taken_[mapping.begin] = {mapping.bytes, mapping.bytes - wanted, mapping.whole};
  return mapping.begin;
}

void PageCache::give_back(std::byte* begin, std::int64_t /*bytes*/) {
  const std::scoped_lock lock(mutex_);
  const auto taken = taken_.find(begin);
  const Mapping mapping{begin, taken->second.bytes, taken->second.whole};
  taken_.erase(taken);
  keep(mapping);
}

bool PageCache::give_back_early(std::byte* begin, std::int64_t bytes) {
  if (bytes < kSmall) return false;
  const std::scoped_lock lock(mutex_);
  const auto around = std::prev(taken_.upper_bound(begin));
  const Taken taken = around->second;
  const std::int64_t before = begin - around->first;
  const std::int64_t after = taken.bytes - before - bytes;
  if (before > 0)
    around->second = {before, 0, taken.whole};
  else
    taken_.erase(around);
  const bool is_last = after == taken.unasked;  // nobody gives back what nobody asked for
  if (!is_last) taken_[begin + bytes] = {after, taken.unasked, taken.whole};
  keep({begin, bytes + (is_last ? after : 0), taken.whole});
  return true;
}

void PageCache::keep(Mapping mapping) {
  if (mapping.bytes >= kSmall) madvise(mapping.begin, static_cast<std::size_t>(mapping.bytes), MADV_FREE);
  for (auto other = kept_.begin(); other != kept_.end();) {
    const bool is_of_it = other->whole == mapping.whole;
    const bool is_before = is_of_it && other->begin + other->bytes == mapping.begin;
    const bool is_neighbour = is_before || (is_of_it && mapping.begin + mapping.bytes == other->begin);
    if (is_before) mapping.begin = other->begin;
    if (is_neighbour) mapping.bytes += other->bytes;
    other = is_neighbour ? kept_.erase(other) : std::next(other);
  }
  kept_.push_front(mapping);
  if (kept_.size() <= kKeptMax) return;
  munmap(kept_.back().begin, static_cast<std::size_t>(kept_.back().bytes));
  kept_.pop_back();
}

}  // namespace tessera::runtime
