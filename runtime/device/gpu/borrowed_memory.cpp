#include "runtime/device/gpu/borrowed_memory.hpp"

#include <utility>

#include "runtime/device/gpu/cut_boxes.hpp"

namespace tessera::device {

BorrowedMemory::BorrowedMemory(std::shared_ptr<runtime::Engine> engine, GpuPlace& place, const std::byte* begin,
                               std::int64_t bytes, std::shared_ptr<const void> keep)
    : engine_(std::move(engine)), place_(place), begin_(begin), keep_(std::move(keep)) {
  place_.memory.adopt(address_at(begin_), bytes);
}

// What has failed is said to whoever waits for the engine next.
BorrowedMemory::~BorrowedMemory() {
  {
    const std::scoped_lock lock(*place_.mutex);
    const Current current(*place_.gpu);
    if (!place_.gpu->is_lost() && place_.launcher.begin_work().ok()) static_cast<void>(place_.gpu->wait());
  }
  place_.memory.let_go(address_at(begin_));
}

}  // namespace tessera::device
