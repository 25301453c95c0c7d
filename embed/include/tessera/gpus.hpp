// The GPUs of this machine, and what programs need to run on them. docs/accelerators.md is the page.
#pragma once

#include <cstdint>
#include <string>
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

}  // namespace tessera
