#include "runtime/device/gpu/open.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/device/gpu/gpu_engine.hpp"
#include "runtime/device/gpu/several_gpus.hpp"
#include "runtime/kinds.hpp"

namespace tessera::device {

namespace {

constexpr const char* kInstallDriver =
    "a driver from NVIDIA for CUDA 12.0 or newer is needed; nothing else of CUDA has to be installed beside NVRTC";
constexpr const char* kInstallNvrtc =
    "install it by `pip install nvidia-cuda-nvrtc`, or set TESSERA_CUDA to the folder where it is";

std::string with_places(const char* help, const Search& search) {
  return fmt::format("{}\nlooked for at:\n{}", help, text_of(search));
}

base::Result<std::shared_ptr<const Cuda>> opened_driver(const Folders& folders) {
  auto cuda = std::make_shared<Cuda>(open_cuda(folders));
  if (!cuda->is_there()) {
    return base::make(runtime::Kind::no_gpu, cuda->missing).suggest(with_places(kInstallDriver, cuda->search));
  }
  return std::shared_ptr<const Cuda>(std::move(cuda));
}

// None where products are computed in order, or where no library is found.
std::shared_ptr<const Cublas> opened_products(const GpuRequest& request, int driver_version) {
  if (request.ordered_products) return nullptr;
  auto cublas = std::make_shared<Cublas>(open_cublas(request.folders, driver_version));
  return cublas->is_there() ? std::shared_ptr<const Cublas>(std::move(cublas)) : nullptr;
}

base::Status check_numbers(const Cuda& cuda, const std::vector<int>& numbers) {
  TESSERA_TRY(count, count_gpus(cuda));
  if (count == 0) return base::make(runtime::Kind::no_gpu, "the driver has none");
  for (const int number : numbers) {
    if (number >= 0 && number < count) continue;
    return base::make(runtime::Kind::no_gpu, fmt::format("there is no GPU {}; there {} {}, counted from 0", number,
                                                         count == 1 ? "is" : "are", count));
  }
  if (numbers.empty()) return base::make(runtime::Kind::no_gpu, "none was chosen");
  return base::Done{};
}

// What the GPUs of a process have in common.
struct Opened {
  std::shared_ptr<const Cuda> cuda;
  std::shared_ptr<const Nvrtc> nvrtc;
  std::shared_ptr<const Cublas> cublas;
  bool tf32_products = false;
  KernelFiles files;
  std::map<int, Compiler> compilers = {};  // by architecture
  std::shared_ptr<std::recursive_mutex> mutex = std::make_shared<std::recursive_mutex>();
};

// `share`: the part of the GPU's memory that it may have, one of so many.
base::Result<std::shared_ptr<GpuEngine>> opened_gpu(Opened& common, int number, std::int64_t budget,
                                                    std::int64_t share) {
  TESSERA_TRY(gpu, Gpu::open(common.cuda, number, budget, share));
  const int architecture = gpu->facts().architecture;
  const Compiler& compiler =
      common.compilers.try_emplace(architecture, common.nvrtc, architecture, common.files).first->second;
  auto engine = std::make_shared<GpuEngine>(
      std::make_unique<GpuPlace>(std::move(gpu), common.mutex, compiler, common.cublas, common.tf32_products));
  TESSERA_TRY_STATUS(engine->begin());
  return engine;
}

}  // namespace

base::Result<std::shared_ptr<const Nvrtc>> opened_compiler(const Folders& folders, int driver_version) {
  auto nvrtc = std::make_shared<Nvrtc>(open_nvrtc(folders, driver_version));
  if (!nvrtc->is_there()) {
    return base::make(runtime::Kind::gpu_library, nvrtc->missing).suggest(with_places(kInstallNvrtc, nvrtc->search));
  }
  return std::shared_ptr<const Nvrtc>(std::move(nvrtc));
}

base::Result<std::shared_ptr<runtime::Engine>> open_gpus(const GpuRequest& request) {
  return base::guarded([&]() -> base::Result<std::shared_ptr<runtime::Engine>> {
    TESSERA_TRY(cuda, opened_driver(request.folders));
    TESSERA_TRY_STATUS(check_numbers(*cuda, request.numbers));
    TESSERA_TRY(nvrtc, opened_compiler(request.folders, cuda->version));
    Opened common{cuda, nvrtc, opened_products(request, cuda->version), request.tf32_products,
                  KernelFiles(kernel_cache_folder())};
    std::vector<std::shared_ptr<GpuEngine>> places;
    for (const int number : request.numbers) {
      const auto times = std::count(request.numbers.begin(), request.numbers.end(), number);
      TESSERA_TRY(place, opened_gpu(common, number, request.memory_bytes, times));
      places.push_back(std::move(place));
    }
    if (places.size() == 1) return std::shared_ptr<runtime::Engine>(std::move(places.front()));
    auto engine = std::make_shared<SeveralGpus>(std::move(places));
    TESSERA_TRY_STATUS(engine->begin());
    return std::shared_ptr<runtime::Engine>(std::move(engine));
  });
}

}  // namespace tessera::device
