// Elements that programs read and nobody writes, in a GPU's memory as long as the engine is there.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "runtime/device/gpu/gpu_memory.hpp"
#include "runtime/device/gpu/staging.hpp"

namespace tessera::device {

class Constants {
 public:
  Constants(Gpu& gpu, GpuMemory& memory, Staging& staging) : gpu_(gpu), memory_(memory), staging_(staging) {}
  ~Constants();
  Constants(const Constants&) = delete;
  Constants& operator=(const Constants&) = delete;

  // There is room for them.
  base::Status begin();
  // Where it is for what the stream is asked for from now on; 0: there are too many.
  base::Result<Address> find(std::span<const std::byte> element);

 private:
  Gpu& gpu_;
  GpuMemory& memory_;
  Staging& staging_;
  Address begin_ = 0;
  std::map<std::vector<std::byte>, Address> known_;
};

}  // namespace tessera::device
