// The way between the host's memory and a GPU's: two pinned buffers, filled in turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/device/gpu/gpu.hpp"
#include "runtime/device/steps/launcher.hpp"

namespace tessera::device {

class Staging {
 public:
  explicit Staging(Gpu& gpu) : gpu_(gpu) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Into the GPU's memory; the host's may change when it returns.
  base::Status write(Address to, const std::byte* from, std::int64_t bytes);
  // Out of it, and waits.
  base::Status read(std::byte* to, Address from, std::int64_t bytes);

 private:
  struct Buffer {
    std::byte* memory = nullptr;
    void* done = nullptr;  // an event: what was asked for with the buffer is over
    bool is_busy = false;
  };
  // A copy that is on its way out.
  struct Arrival {
    std::byte* to = nullptr;
    std::int64_t bytes = 0;
  };
  base::Status begin();
  // The other buffer, all of it, once nobody needs what it held.
  base::Status turn();
  base::Result<std::byte*> room(std::int64_t bytes);
  base::Status arrive(std::size_t buffer, Arrival& arrival);

  Gpu& gpu_;
  std::array<Buffer, 2> buffers_;
  std::size_t current_ = 0;
  std::int64_t used_ = 0;
};

}  // namespace tessera::device
