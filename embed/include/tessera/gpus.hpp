// The GPUs of this machine, and what programs need to run on them. docs/accelerators.md is the page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// A place where a library was looked for; without a reason it was found there.
struct GpuLibraryPlace {
  std::string place;
  std::string why_not;
};

// The driver, its compiler or its products.
struct GpuLibrary {
  std::string name;     // `the driver (libcuda.so.1)`, `NVRTC`, `cuBLAS`
  std::string found;    // the file, or the name that the system's loader knows; empty: nowhere
  std::string version;  // `13.0`; empty where it is not told
  std::string missing;  // why it cannot be used; empty: it can
  std::vector<GpuLibraryPlace> places;
};

struct Gpu {
  int number = 0;  // as `--gpu` takes it
  std::string name;
  std::int64_t memory_bytes = 0;
  std::int64_t free_bytes = 0;
  std::string architecture;  // `sm_90`
  int processors = 0;        // multiprocessors
};

struct GpuReport {
  std::vector<Gpu> gpus;
  std::vector<GpuLibrary> libraries;  // the driver, NVRTC, cuBLAS
  std::string cache_folder;           // where compiled kernels are kept; empty: nowhere
  std::int64_t cache_files = 0;
  std::int64_t cache_bytes = 0;
  Diagnostics problems;  // why no program could run on a GPU here; none: one could
};

// Opens what there is, and no GPU for work.
TESSERA_API GpuReport gpus();

// Kernels that were compiled for GPUs that are not here.
struct GpuKernels {
  std::int64_t kernels = 0;   // that the program may need
  std::int64_t compiled = 0;  // of them, those that were not kept yet
  std::string compiler;       // NVRTC's version, `13.0`: GPUs find what the same compiler has made
  std::string folder;         // where they are kept
};

// Compiles the kernels of a program for GPUs of an architecture, `sm_90`, and keeps them where `--gpu` looks for them:
// the program then starts without a compiler's delay. Nothing is computed, and no GPU is needed; of files only the
// headers of those that are loaded are read. The kernels are those of all devices on one GPU: copies between several
// may need others.
TESSERA_API Result<GpuKernels> compile_kernels(std::string_view text, std::string_view name,
                                               std::string_view architecture, const Config& config = {});

}  // namespace tessera
