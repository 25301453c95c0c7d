#include "runtime/device/gpu/staging.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::device {

namespace {

constexpr std::int64_t kStagingBuffer = std::int64_t{8} << 20U;
constexpr std::int64_t kStagingAligned = 256;

}  // namespace

Staging::~Staging() {
  const Current current(gpu_);
  for (const Buffer& buffer : buffers_) {
    if (buffer.done != nullptr) gpu_.calls().end_event(buffer.done);
    if (buffer.memory != nullptr) gpu_.calls().free_pinned(buffer.memory);
  }
}

base::Status Staging::begin() {
  for (Buffer& buffer : buffers_) {
    if (buffer.memory == nullptr) {
      void* memory = nullptr;
      TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().allocate_pinned(&memory, kStagingBuffer), "pinned memory for copies"));
      buffer.memory = static_cast<std::byte*>(memory);
    }
    if (buffer.done == nullptr) {
      TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().new_event(&buffer.done, cuda::kEventNoTimes), "an event"));
    }
  }
  return base::Done{};
}

base::Status Staging::turn() {
  TESSERA_TRY_STATUS(begin());
  Buffer& left = buffers_[current_];
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().record(left.done, gpu_.stream()), "an event"));
  left.is_busy = true;
  current_ = 1 - current_;
  used_ = 0;
  Buffer& next = buffers_[current_];
  if (!next.is_busy) return base::Done{};
  next.is_busy = false;
  return gpu_.check(gpu_.calls().wait_for_event(next.done), "a copy");
}

base::Result<std::byte*> Staging::room(std::int64_t bytes) {
  if (buffers_[current_].memory == nullptr) TESSERA_TRY_STATUS(begin());
  if (used_ + bytes > kStagingBuffer) TESSERA_TRY_STATUS(turn());
  std::byte* const begin = buffers_[current_].memory + used_;
  used_ += (bytes + kStagingAligned - 1) / kStagingAligned * kStagingAligned;
  return begin;
}

base::Status Staging::write(Address to, const std::byte* from, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += kStagingBuffer) {
    const std::int64_t part = std::min(bytes - at, kStagingBuffer);
    TESSERA_TRY(staged, room(part));
    std::memcpy(staged, from + at, static_cast<std::size_t>(part));
    const int code =
        gpu_.calls().copy_in(to + static_cast<Address>(at), staged, static_cast<std::size_t>(part), gpu_.stream());
    TESSERA_TRY_STATUS(gpu_.check(code, "a copy from the host"));
  }
  return base::Done{};
}

base::Status Staging::arrive(std::size_t buffer, Arrival& arrival) {
  if (arrival.to == nullptr) return base::Done{};
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().wait_for_event(buffers_[buffer].done), "a copy to the host"));
  std::memcpy(arrival.to, buffers_[buffer].memory, static_cast<std::size_t>(arrival.bytes));
  buffers_[buffer].is_busy = false;
  arrival = {};
  return base::Done{};
}

// One buffer is copied out of while the other is filled.
base::Status Staging::read(std::byte* to, Address from, std::int64_t bytes) {
  std::array<Arrival, 2> arrivals;
  for (std::int64_t at = 0; at < bytes; at += kStagingBuffer) {
    TESSERA_TRY_STATUS(turn());
    TESSERA_TRY_STATUS(arrive(current_, arrivals[current_]));
    const std::int64_t part = std::min(bytes - at, kStagingBuffer);
    Buffer& buffer = buffers_[current_];
    const int code = gpu_.calls().copy_out(buffer.memory, from + static_cast<Address>(at),
                                           static_cast<std::size_t>(part), gpu_.stream());
    TESSERA_TRY_STATUS(gpu_.check(code, "a copy to the host"));
    TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().record(buffer.done, gpu_.stream()), "an event"));
    arrivals[current_] = {to + at, part};
    used_ = kStagingBuffer;
  }
  TESSERA_TRY_STATUS(arrive(1 - current_, arrivals[1 - current_]));
  return arrive(current_, arrivals[current_]);
}

}  // namespace tessera::device
