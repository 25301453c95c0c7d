// The door to GPUs: the driver, its compiler and its products, opened when they are asked for and never linked.
#pragma once

#include <string>

#include "base/result.hpp"
#include "runtime/device/door/compiler_calls.hpp"
#include "runtime/device/door/cublas.hpp"
#include "runtime/device/door/cuda.hpp"
#include "runtime/device/door/search.hpp"

namespace tessera::device {

// What a library was found to be; `missing` says why it cannot be used, in words.
template <class Calls>
struct Library {
  Calls calls = {};
  Search search = {};
  int version = 0;           // major * 1000 + minor * 10
  std::string missing = {};  // empty: it is there
  bool is_there() const { return missing.empty() && !search.found.empty(); }
};
using Cuda = Library<CudaCalls>;
using Nvrtc = Library<NvrtcCalls>;
using Cublas = Library<CublasCalls>;

// The oldest driver that we take.
inline constexpr int kOldestDriver = 12000;

// The driver, begun.
Cuda open_cuda(const Folders& folders);
// For a driver of this version.
Nvrtc open_nvrtc(const Folders& folders, int driver_version);
Cublas open_cublas(const Folders& folders, int driver_version);

// `13.0` for 13000.
std::string version_text(int version);
// The driver's name for a code, as CUDA_ERROR_OUT_OF_MEMORY.
std::string error_name(const Cuda& cuda, int code);

// What `tessera gpu` shows: what was found where, and the GPUs that there are.
struct GpuFacts {
  std::string name;
  std::int64_t memory = 0;
  std::int64_t free = 0;
  int architecture = 0;  // 90 for sm_90
  int processors = 0;
};
base::Result<GpuFacts> facts_of(const Cuda& cuda, int number);
// 90 for sm_90, 0 if it does not say; and the oldest that programs run on.
int architecture_of(const Cuda& cuda, int number);
inline constexpr int kOldestArchitecture = 75;
base::Result<int> count_gpus(const Cuda& cuda);

}  // namespace tessera::device
