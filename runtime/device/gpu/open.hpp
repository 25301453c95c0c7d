// Opens GPUs for programs to run on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device/door/door.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

struct GpuRequest {
  std::vector<int> numbers;       // a number that stands twice is two places on one GPU
  std::int64_t memory_bytes = 0;  // what programs may have of each; 0: nine tenths of what is free
  bool ordered_products = false;
  Folders folders;
  bool tf32_products = false;  // large products of f32 round their operands
};

// NVRTC, for a driver of this version; or where it was looked for.
base::Result<std::shared_ptr<const Nvrtc>> opened_compiler(const Folders& folders, int driver_version);

base::Result<std::shared_ptr<runtime::Engine>> open_gpus(const GpuRequest& request);

}  // namespace tessera::device
