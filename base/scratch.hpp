// Memory for the vectors of one function: a room on its stack first, then the heap; freed as a whole when it ends.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>

namespace tessera::base {

class Scratch {
 public:
  // Memory that a vector gives back earlier is not used again.
  std::pmr::memory_resource* memory() { return &memory_; }
  // For a function that does the same many times over: all vectors of this memory are gone.
  void release() { memory_.release(); }

 private:
  static constexpr std::size_t kRoomBytes = std::size_t{1} << 14U;

  alignas(std::max_align_t) std::array<std::byte, kRoomBytes> room_;  // as it is: filling it would take longer
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
};

}  // namespace tessera::base
