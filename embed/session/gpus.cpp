// What `tessera gpu` tells.
#include "tessera/gpus.hpp"

#include <fmt/format.h>

#include "embed/host/convert.hpp"
#include "embed/host/texts.hpp"
#include "runtime/device/door/door.hpp"
#include "runtime/device/gpu/kernel_cache.hpp"
#include "runtime/kinds.hpp"

namespace tessera {

namespace {

template <class Calls>
GpuLibrary told(const device::Library<Calls>& library) {
  GpuLibrary result{library.search.library, library.search.found, "", library.missing, {}};
  if (library.version > 0) result.version = device::version_text(library.version);
  for (const device::LookedAt& at : library.search.places) result.places.push_back({at.place, at.why_not});
  return result;
}

void list_gpus(const device::Cuda& cuda, GpuReport& report, base::Diagnostics& problems) {
  const auto count = device::count_gpus(cuda);
  if (!count) {
    problems = count.errors();
    return;
  }
  for (int number = 0; number < *count; ++number) {
    const auto facts = device::facts_of(cuda, number);
    if (!facts) {
      problems.insert(problems.end(), facts.errors().begin(), facts.errors().end());
      continue;
    }
    report.gpus.push_back({number, facts->name, facts->memory, facts->free, fmt::format("sm_{}", facts->architecture),
                           facts->processors});
  }
  if (report.gpus.empty() && problems.empty())
    problems.push_back(base::make(runtime::Kind::no_gpu, "the driver knows of none"));
}

}  // namespace

GpuReport gpus() {
  GpuReport report;
  base::Diagnostics problems;
  const device::Folders folders = device::folders_of_environment();
  const device::Cuda cuda = device::open_cuda(folders);
  report.libraries.push_back(told(cuda));
  if (cuda.is_there())
    list_gpus(cuda, report, problems);
  else
    problems.push_back(base::make(runtime::Kind::no_gpu, cuda.missing));
  const int version = cuda.is_there() ? cuda.version : device::kOldestDriver;
  const device::Nvrtc nvrtc = device::open_nvrtc(folders, version);
  report.libraries.push_back(told(nvrtc));
  if (!nvrtc.is_there()) problems.push_back(base::make(runtime::Kind::gpu_library, nvrtc.missing));
  report.libraries.push_back(told(device::open_cublas(folders, version)));
  const device::KernelCacheFacts cache = device::kernel_cache_facts();
  report.cache_folder = cache.folder;
  report.cache_files = cache.files;
  report.cache_bytes = cache.bytes;
  report.problems = embed::to_public(embed::Texts{}, problems);
  return report;
}

}  // namespace tessera
