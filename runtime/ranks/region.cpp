#include "runtime/ranks/region.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>

#include "runtime/memory/machine_memory.hpp"
#include "runtime/ranks/messenger.hpp"

namespace tessera::runtime {

namespace {

// This header lies before the slices, then a line for each rank.
struct Header {
  std::uint64_t secret = 0;
  alignas(kAlignment) std::atomic<std::int64_t> failed_step = kNever;
  std::atomic<std::int64_t> lost_rank = -1;  // the first that was found to be gone
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "processes share these");

// Address space for all slices together; half of what a process has.
constexpr std::int64_t kSlicesBytesMax = std::int64_t{64} << 40U;

std::int64_t page_bytes() { return sysconf(_SC_PAGESIZE); }

std::int64_t head_bytes(int places) {
  return in_pages(static_cast<std::int64_t>(sizeof(Header)) + places * static_cast<std::int64_t>(sizeof(Region::Line)));
}

// Room for every arrangement of what the machine's memory can hold.
std::int64_t slice_bytes(int places) {
  const std::int64_t memory = sysconf(_SC_PHYS_PAGES) * page_bytes();
  return in_pages(std::min(4 * memory, kSlicesBytesMax / places));
}

std::int64_t kept_bytes(int places) { return in_pages(machine_memory_bytes() / 8 / places); }

std::int64_t region_bytes(int places) { return head_bytes(places) + places * slice_bytes(places); }

// Beyond this limit the system does not refuse a size but ends the process.
bool may_be_so_long(std::int64_t bytes) {
  struct rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  return limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= static_cast<rlim_t>(bytes);
}

}  // namespace

std::shared_ptr<Region> Region::create(int places) {
  const std::int64_t bytes = region_bytes(places);
  if (!may_be_so_long(bytes)) return nullptr;
  const int descriptor = memfd_create("tessera", MFD_CLOEXEC);
  if (descriptor < 0) return nullptr;
  std::shared_ptr<Region> region(new Region(places, 0));
  region->address_ = {getpid(), descriptor, 0};
  if (ftruncate(descriptor, bytes) != 0 || !region->map(descriptor)) return nullptr;
  if (getrandom(&region->address_.secret, sizeof(std::uint64_t), 0) != sizeof(std::uint64_t)) return nullptr;
  auto* const header = new (region->base_) Header;
  header->secret = region->address_.secret;
  for (int place = 0; place < places; ++place) new (&region->line(place)) Line;
  region->line(0).process = getpid();
  return region;
}

std::shared_ptr<Region> Region::open(const Address& address, int places, int place) {
  const std::string path = fmt::format("/proc/{}/fd/{}", address.process, address.descriptor);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  std::shared_ptr<Region> region(new Region(places, place));
  struct stat status{};
  const bool mapped = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                      status.st_size == region_bytes(places) && region->map(descriptor);
  ::close(descriptor);
  if (!mapped || reinterpret_cast<const Header*>(region->base_)->secret != address.secret) return nullptr;
  region->line(place).process = getpid();
  return region;
}

bool Region::map(int descriptor) {
  const auto bytes = static_cast<std::size_t>(region_bytes(places_));
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (base == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(base);
  return true;
}

Region::~Region() {
  if (base_ != nullptr) munmap(base_, static_cast<std::size_t>(region_bytes(places_)));
  if (address_.descriptor >= 0) ::close(static_cast<int>(address_.descriptor));
}

Region::Line& Region::line(int place) const { return reinterpret_cast<Line*>(base_ + sizeof(Header))[place]; }

bool Region::has_process(int place) const {
  return kill(static_cast<pid_t>(line(place).process), 0) == 0 || errno != ESRCH;
}

int Region::first_lost(int rank) const {
  std::int64_t first = -1;
  const bool is_first = reinterpret_cast<Header*>(base_)->lost_rank.compare_exchange_strong(first, rank);
  return is_first ? rank : static_cast<int>(first);
}

std::atomic<std::int64_t>& Region::failed_step() const { return reinterpret_cast<Header*>(base_)->failed_step; }

std::byte* Region::slice(int place) const { return base_ + head_bytes(places_) + place * slice_bytes(places_); }

std::byte* Region::take(std::int64_t bytes) {
  const std::int64_t size = in_pages(std::max<std::int64_t>(bytes, 1));
  const std::scoped_lock lock(mutex_);
  const std::int64_t offset = free_.take(size);
  if (add_bytes(offset, size) <= slice_bytes(places_)) return at(place_, offset);
  free_.give_back(offset, size);
  return nullptr;
}

void Region::give_back(std::byte* begin, std::int64_t bytes) {
  const std::int64_t size = in_pages(std::max<std::int64_t>(bytes, 1));
  const std::int64_t offset = offset_of(begin);
  const std::int64_t kept = std::clamp(kept_bytes(places_) - offset, std::int64_t{0}, size);
  if (kept < size) forget(begin + kept, size - kept);
  const std::scoped_lock lock(mutex_);
  free_.give_back(offset, size);
}

bool Region::give_back_early(std::byte* begin, std::int64_t bytes) {
  give_back(begin, bytes);
  return true;
}

void Region::forget(std::byte* begin, std::int64_t bytes) const {
  madvise(begin, static_cast<std::size_t>(bytes), MADV_REMOVE);
}

}  // namespace tessera::runtime
