#include "runtime/device/gpu/gpu_memory.hpp"

#include <algorithm>

namespace tessera::device {

namespace {

// Sizes that a driver cuts its memory in: what is asked for is a multiple, so that pieces fit again.
constexpr std::int64_t kSmall = std::int64_t{64} << 10U;
constexpr std::int64_t kLarge = std::int64_t{2} << 20U;

std::int64_t allocated_bytes(std::int64_t bytes) {
  const std::int64_t unit = bytes > kLarge ? kLarge : kSmall;
  return (std::max(bytes, std::int64_t{1}) + unit - 1) / unit * unit;
}

}  // namespace

GpuMemory::~GpuMemory() {
  const Current current(gpu_);
  for (const auto& [bytes, address] : kept_) gpu_.calls().free(address);
  for (const auto& [address, bytes] : taken_) gpu_.calls().free(address);
}

Address GpuMemory::take(std::int64_t bytes) {
  if (bytes > gpu_.budget()) return 0;
  const std::scoped_lock lock(mutex_);
  const Current current(gpu_);
  const std::int64_t size = allocated_bytes(bytes);
  Address address = take_kept(size);
  if (address == 0) address = allocate(size);
  return address;
}

Address GpuMemory::take_kept(std::int64_t bytes) {
  const auto found = kept_.lower_bound(bytes);
  if (found == kept_.end() || found->first > bytes + bytes / 4) return 0;
  const auto [size, address] = *found;
  kept_.erase(found);
  kept_bytes_ -= size;
  taken_bytes_ += size;
  taken_[address] = size;
  return address;
}

Address GpuMemory::allocate(std::int64_t bytes) {
  while (taken_bytes_ + kept_bytes_ + bytes > gpu_.budget() && give_up_one()) {
  }
  if (taken_bytes_ + bytes > gpu_.budget()) return 0;
  Address address = 0;
  while (const int code = gpu_.calls().allocate(&address, static_cast<std::size_t>(bytes))) {
    address = 0;
    static_cast<void>(gpu_.check(code, "an allocation of memory"));  // notes that the GPU is lost
    if (gpu_.is_lost() || !give_up_one()) return 0;
  }
  taken_bytes_ += bytes;
  taken_[address] = bytes;
  return address;
}

// The largest that is kept.
bool GpuMemory::give_up_one() {
  if (kept_.empty()) return false;
  before_();
  const auto last = std::prev(kept_.end());
  gpu_.calls().free(last->second);
  kept_bytes_ -= last->first;
  kept_.erase(last);
  return true;
}

void GpuMemory::give_back(Address address) {
  const std::scoped_lock lock(mutex_);
  const auto found = taken_.find(address);
  if (found == taken_.end()) return;
  taken_bytes_ -= found->second;
  kept_bytes_ += found->second;
  kept_.emplace(found->second, address);
  taken_.erase(found);
}

void GpuMemory::adopt(Address address, std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  adopted_.emplace(address, bytes);
}

void GpuMemory::let_go(Address address) {
  const std::scoped_lock lock(mutex_);
  const auto found = adopted_.find(address);
  if (found != adopted_.end()) adopted_.erase(found);
}

bool GpuMemory::holds(Address address) const {
  const std::scoped_lock lock(mutex_);
  const auto has = [&](const auto& range) {
    return address >= range.first && address - range.first < static_cast<Address>(range.second);
  };
  if (std::ranges::any_of(adopted_, has)) return true;
  const auto next = taken_.upper_bound(address);
  if (next == taken_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(next);
  return address - begin < static_cast<Address>(bytes);
}

std::int64_t GpuMemory::taken_bytes() const {
  const std::scoped_lock lock(mutex_);
  return taken_bytes_;
}
std::int64_t GpuMemory::kept_bytes() const {
  const std::scoped_lock lock(mutex_);
  return kept_bytes_;
}

}  // namespace tessera::device
