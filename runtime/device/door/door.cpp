#include "runtime/device/door/door.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <vector>

#include "runtime/kinds.hpp"

namespace tessera::device {

namespace {

// Sets `found`, or says that the library lacks it.
template <class F>
void look_up(void* library, const char* symbol, F& found, std::string& missing) {
  found = reinterpret_cast<F>(dlsym(library, symbol));
  if (found == nullptr && missing.empty()) missing = fmt::format("it has no {}", symbol);
}

#define LOOK_UP(member, symbol, parameters) look_up(library, #symbol, calls.member, missing);
void look_up_all(void* library, CudaCalls& calls, std::string& missing) { TESSERA_CUDA_FUNCTIONS(LOOK_UP) }
void look_up_all(void* library, NvrtcCalls& calls, std::string& missing) { TESSERA_NVRTC_FUNCTIONS(LOOK_UP) }
void look_up_all(void* library, CublasCalls& calls, std::string& missing) { TESSERA_CUBLAS_FUNCTIONS(LOOK_UP) }
#undef LOOK_UP

template <class Calls>
void take_functions(void* library, Library<Calls>& into) {
  if (library == nullptr) {
    into.missing = fmt::format("{} was not found", into.search.library);
    return;
  }
  look_up_all(library, into.calls, into.missing);
  if (!into.missing.empty()) into.missing = fmt::format("{}: {}", into.search.found, into.missing);
}

void begin_driver(Cuda& cuda) {
  if (cuda.calls.driver_version(&cuda.version) != 0) cuda.version = 0;
  if (cuda.version < kOldestDriver) {
    cuda.missing = fmt::format("the driver {} is for CUDA {}; {} or newer is needed", cuda.search.found,
                               version_text(cuda.version), version_text(kOldestDriver));
    return;
  }
  if (const int code = cuda.calls.init(0); code != 0) {
    cuda.missing = fmt::format("the driver {} cannot be used: {}", cuda.search.found, error_name(cuda, code));
  }
}

base::Diagnostic refusal(const Cuda& cuda, int number, const char* what, int code) {
  if (cuda::is_loss(code))
    return base::make(runtime::Kind::gpu_lost, std::to_string(number), "its opening", error_name(cuda, code));
  return base::make(runtime::Kind::gpu_failed, std::to_string(number), what, error_name(cuda, code));
}

// A call within the GPU's primary context, which the driver is asked for only here and by those who open the GPU.
int free_memory(const Cuda& cuda, int device, std::int64_t& free) {
  void* context = nullptr;
  if (const int code = cuda.calls.retain_context(&context, device); code != 0) return code;
  int code = cuda.calls.push_context(context);
  std::size_t bytes = 0;
  std::size_t total = 0;
  if (code == 0) {
    code = cuda.calls.memory(&bytes, &total);
    cuda.calls.pop_context(&context);
  }
  cuda.calls.release_context(device);
  free = static_cast<std::int64_t>(bytes);
  return code;
}

}  // namespace

Cuda open_cuda(const Folders& folders) {
  Cuda cuda;
  cuda.search.library = "the driver (libcuda.so.1)";
  take_functions(open_driver(folders, cuda.search), cuda);
  if (cuda.missing.empty()) begin_driver(cuda);
  return cuda;
}

Nvrtc open_nvrtc(const Folders& folders, int driver_version) {
  Nvrtc nvrtc;
  nvrtc.search.library = "NVRTC";
  const std::vector<std::string> with = {"libnvrtc-builtins."};
  take_functions(open_toolkit(folders, "nvrtc", driver_version / 1000, with, nvrtc.search), nvrtc);
  if (!nvrtc.missing.empty()) return nvrtc;
  int major = 0;
  int minor = 0;
  nvrtc.calls.version(&major, &minor);
  nvrtc.version = major * 1000 + minor * 10;
  if (major > driver_version / 1000) {
    nvrtc.missing = fmt::format("{} is of CUDA {}, the driver only of {}", nvrtc.search.found,
                                version_text(nvrtc.version), version_text(driver_version));
  }
  return nvrtc;
}

Cublas open_cublas(const Folders& folders, int driver_version) {
  Cublas cublas;
  cublas.search.library = "cuBLAS";
  const std::vector<std::string> with = {"libcublasLt."};
  take_functions(open_toolkit(folders, "cublas", driver_version / 1000, with, cublas.search), cublas);
  int major = 0;
  int minor = 0;
  if (cublas.is_there() && cublas.calls.property(cublas::kMajorVersion, &major) == 0 &&
      cublas.calls.property(cublas::kMinorVersion, &minor) == 0)
    cublas.version = major * 1000 + minor * 10;
  return cublas;
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string error_name(const Cuda& cuda, int code) {
  const char* name = nullptr;
  if (cuda.calls.error_name == nullptr || cuda.calls.error_name(code, &name) != 0 || name == nullptr) {
    return fmt::format("error {}", code);
  }
  return name;
}

base::Result<int> count_gpus(const Cuda& cuda) {
  int count = 0;
  if (const int code = cuda.calls.device_count(&count); code != 0) {
    return base::make(runtime::Kind::no_gpu, fmt::format("the driver answers {}", error_name(cuda, code)));
  }
  return count;
}

int architecture_of(const Cuda& cuda, int number) {
  int device = 0;
  int major = 0;
  int minor = 0;
  const bool answers = cuda.calls.device(&device, number) == 0 &&
                       cuda.calls.device_attribute(&major, cuda::kCapabilityMajor, device) == 0 &&
                       cuda.calls.device_attribute(&minor, cuda::kCapabilityMinor, device) == 0;
  return answers ? major * 10 + minor : 0;
}

base::Result<GpuFacts> facts_of(const Cuda& cuda, int number) {
  GpuFacts facts;
  int device = 0;
  std::array<char, 256> name{};
  std::size_t memory = 0;
  int major = 0;
  int minor = 0;
  for (const int code :
       {cuda.calls.device(&device, number), cuda.calls.device_name(name.data(), name.size() - 1, device),
        cuda.calls.device_memory(&memory, device), cuda.calls.device_attribute(&major, cuda::kCapabilityMajor, device),
        cuda.calls.device_attribute(&minor, cuda::kCapabilityMinor, device),
        cuda.calls.device_attribute(&facts.processors, cuda::kMultiprocessors, device),
        free_memory(cuda, device, facts.free)}) {
    if (code != 0) return refusal(cuda, number, "to be asked what it is", code);
  }
  facts.name = name.data();
  facts.memory = static_cast<std::int64_t>(memory);
  facts.architecture = major * 10 + minor;
  return facts;
}

}  // namespace tessera::device
