#include "runtime/device/gpu/paper.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/device/gpu/gpu_engine.hpp"
#include "runtime/device/gpu/kernel_files.hpp"
#include "runtime/device/gpu/open.hpp"
#include "runtime/kinds.hpp"

namespace tessera::device {

namespace {

// The newest driver whose compilers we know.
constexpr int kDriver = 13000;
constexpr std::size_t kMemory = std::size_t{1} << 50U;
constexpr int kProcessors = 132;
constexpr int kThreads = 256;
constexpr Address kAligned = Address{1} << 21U;

// The driver's functions know nothing but this.
struct Paper {
  std::mutex mutex;
  int architecture = 0;
  std::int64_t kernels = 0;
  Address next = kAligned;
  std::map<Address, unsigned char> set;  // memory whose bytes are all this
};
Paper& paper() {
  static Paper the_paper;
  return the_paper;
}

template <class... Parameters>
int yes(Parameters...) {
  return 0;
}
int give(void** handle) {
  static char something = 0;
  *handle = &something;
  return 0;
}

int attribute(int* value, int which, int /*device*/) {
  const int architecture = paper().architecture;
  *value = which == cuda::kCapabilityMajor   ? architecture / 10
           : which == cuda::kCapabilityMinor ? architecture % 10
                                             : kProcessors;
  return 0;
}
int allocate(Address* address, std::size_t bytes) {
  const std::scoped_lock lock(paper().mutex);
  *address = paper().next;
  paper().next += (bytes / kAligned + 1) * kAligned;
  return 0;
}
int set_bytes(Address to, unsigned char value, std::size_t /*bytes*/, void* /*stream*/) {
  const std::scoped_lock lock(paper().mutex);
  paper().set[to] = value;
  return 0;
}
// Zeros are as good as anything: indices in range, conditions that do not hold.
int copy_out(void* to, Address from, std::size_t bytes, void* /*stream*/) {
  const std::scoped_lock lock(paper().mutex);
  const auto known = paper().set.find(from);
  std::memset(to, known == paper().set.end() ? 0 : known->second, bytes);
  return 0;
}

Cuda driver_on_paper() {
  Cuda cuda;
  cuda.search.found = "paper";
  cuda.version = kDriver;
  CudaCalls& calls = cuda.calls;
#define SAY_YES(member, symbol, parameters) calls.member = yes;
  TESSERA_CUDA_FUNCTIONS(SAY_YES)
#undef SAY_YES
  calls.device_name = [](char* name, int size, int) {
    fmt::format_to_n(name, size - 1, "sm_{}", paper().architecture).out[0] = '\0';
    return 0;
  };
  calls.device_attribute = attribute;
  calls.device_memory = [](std::size_t* bytes, int) { return *bytes = kMemory, 0; };
  calls.memory = [](std::size_t* free, std::size_t* total) { return *free = *total = kMemory, 0; };
  calls.retain_context = [](void** context, int) { return give(context); };
  calls.allocate = allocate;
  calls.allocate_pinned = [](void** memory, std::size_t bytes) {
    *memory = ::operator new(bytes, std::nothrow);
    return *memory == nullptr ? cuda::kOutOfMemory : 0;
  };
  calls.free_pinned = [](void* memory) { return ::operator delete(memory), 0; };
  calls.copy_out = copy_out;
  calls.set_bytes = set_bytes;
  calls.new_stream = [](void** stream, unsigned) { return give(stream); };
  calls.new_event = [](void** event, unsigned) { return give(event); };
  calls.load_module = [](void** module, const void*, unsigned, int*, void**) {
    const std::scoped_lock lock(paper().mutex);
    ++paper().kernels;
    return give(module);
  };
  calls.function = [](void** function, void*, const char*) { return give(function); };
  calls.function_attribute = [](int* value, int, void*) { return *value = kThreads, 0; };
  return cuda;
}

Cublas products_on_paper() {
  Cublas cublas;
  cublas.search.found = "paper";
  CublasCalls& calls = cublas.calls;
#define SAY_YES(member, symbol, parameters) calls.member = yes;
  TESSERA_CUBLAS_FUNCTIONS(SAY_YES)
#undef SAY_YES
  calls.create = give;
  return cublas;
}

// Does the compiler know this architecture? A first kernel shows it.
base::Status knows(const Compiler& compiler, const Nvrtc& nvrtc, int architecture) {
  const KernelText text{{"runtime/device/text/narrow.hpp"}, "Narrow<true>", ""};
  if (compiler.code_of(source_of(text)).ok()) return base::Done{};
  return base::make(runtime::Kind::gpu_library, fmt::format("{} ({}) does not compile for sm_{}", nvrtc.search.found,
                                                            version_text(nvrtc.version), architecture))
      .suggest("`tessera gpu` on the machine with the GPU says which architecture that has");
}

}  // namespace

base::Result<PaperGpu> PaperGpu::open(const PaperRequest& request) {
  return base::guarded([&]() -> base::Result<PaperGpu> {
    if (request.architecture < kOldestArchitecture) {
      return base::make(runtime::Kind::no_gpu, fmt::format("GPUs of architecture sm_{} are too old; sm_{} or newer "
                                                           "is needed",
                                                           request.architecture, kOldestArchitecture));
    }
    TESSERA_TRY(nvrtc, opened_compiler(request.folders, kDriver));
    const KernelFiles files(kernel_cache_folder());
    const Compiler compiler(nvrtc, request.architecture, files);
    TESSERA_TRY_STATUS(knows(compiler, *nvrtc, request.architecture));
    {
      const std::scoped_lock lock(paper().mutex);
      paper().architecture = request.architecture;
      paper().kernels = 0;
      paper().set.clear();
    }
    TESSERA_TRY(gpu, Gpu::open(std::make_shared<const Cuda>(driver_on_paper()), 0, 0, 1));
    auto products = request.ordered_products ? nullptr : std::make_shared<const Cublas>(products_on_paper());
    auto engine = std::make_shared<GpuEngine>(std::make_unique<GpuPlace>(
        std::move(gpu), std::make_shared<std::recursive_mutex>(), compiler, std::move(products), false));
    TESSERA_TRY_STATUS(engine->begin());
    return PaperGpu(std::move(engine), version_text(nvrtc->version));
  });
}

std::int64_t PaperGpu::kernels() const {
  const std::scoped_lock lock(paper().mutex);
  return paper().kernels;
}

}  // namespace tessera::device
