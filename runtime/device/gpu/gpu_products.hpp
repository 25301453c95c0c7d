// Large products of matrices of floats, by cuBLAS: one stream, one workspace, so that the same call gives the same
// bits.
#pragma once

#include <memory>
#include <optional>

#include "runtime/device/gpu/gpu_launcher.hpp"
#include "runtime/device/steps/products.hpp"

namespace tessera::device {

struct GemmExtents {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t batches = 0;
};

class GpuProducts {
 public:
  // Without a library there are none. `in_tf32`: of f32 products the library may round the operands to TF32.
  GpuProducts(Gpu& gpu, GpuMemory& memory, GpuLauncher& launcher, std::shared_ptr<const Cublas> cublas, bool in_tf32)
      : gpu_(gpu), memory_(memory), launcher_(launcher), cublas_(std::move(cublas)), in_tf32_(in_tf32) {}
  ~GpuProducts();
  GpuProducts(const GpuProducts&) = delete;
  GpuProducts& operator=(const GpuProducts&) = delete;

  // Nothing where all products are computed in order. `narrow`: both operands, of f32, came from this 16-bit type.
  GemmCall call(std::optional<synth::ElementType> narrow);
  // The same, but that nothing is computed: it says what that needs, of a step and once for all.
  GemmCall count(Launcher& counting, std::optional<synth::ElementType> narrow, std::int64_t& lasting) const;
  // Has what is needed once for all, and the library is ready.
  base::Status begin();

 private:
  base::Status set_up(void* handle);
  base::Status multiply(const Gemm& gemm, synth::ElementType operands);
  base::Status multiply_narrow(Gemm gemm, synth::ElementType operands);
  int sums_of(int out, int operands) const;
  base::Status check(int code);

  Gpu& gpu_;
  GpuMemory& memory_;
  GpuLauncher& launcher_;
  std::shared_ptr<const Cublas> cublas_;
  bool in_tf32_;
  void* handle_ = nullptr;
  Address workspace_ = 0;
};

}  // namespace tessera::device
