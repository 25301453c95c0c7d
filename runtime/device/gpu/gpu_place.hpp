// A GPU with all that an engine has on it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "runtime/device/gpu/constants.hpp"
#include "runtime/device/gpu/gpu_launcher.hpp"
#include "runtime/device/gpu/gpu_products.hpp"
#include "runtime/device/gpu/loop_indices.hpp"
#include "runtime/device/gpu/marks.hpp"
#include "runtime/device/gpu/staging.hpp"
#include "runtime/device/gpu/widened.hpp"

namespace tessera::device {

// What stands behind a GPU: its memory goes last, when all that has some of it is gone. GPUs of one engine have one
// lock.
struct GpuPlace {
  GpuPlace(std::unique_ptr<Gpu> opened, std::shared_ptr<std::recursive_mutex> lock, const Compiler& compiler,
           std::shared_ptr<const Cublas> cublas, bool tf32_products)
      : mutex(std::move(lock)),
        gpu(std::move(opened)),
        memory(*gpu, *mutex, [this] { static_cast<void>(launcher.begin_work()); }),
        staging(*gpu),
        launcher(*gpu, memory, compiler),
        constants(*gpu, memory, staging),
        indices(*gpu, memory),
        marks(*gpu),
        products(*gpu, memory, launcher, std::move(cublas), tf32_products) {}
  std::shared_ptr<std::recursive_mutex> mutex;  // sessions may share an engine
  std::unique_ptr<Gpu> gpu;
  GpuMemory memory;
  Staging staging;
  GpuLauncher launcher;
  Constants constants;
  LoopIndices indices;
  Marks marks;
  GpuProducts products;
  Widened widened;
};

}  // namespace tessera::device
