// The functions of NVIDIA's driver over host memory, as a shared library that the door opens like the real one
// (TESSERA_CUDA). It is harsher than a GPU:
//
// - Work waits in its stream until somebody waits for it; then streams go on in an order that a seed gives.
// - New memory holds 0xff, and the host's target of a copy 0x7f until somebody waits. What a copy reads is read when
// the
//   stream comes to it.
// - Copies outside of an allocation fail, those of host memory that is not pinned, too. The host crashes that looks
// into
//   a GPU's memory, and the kernel that reaches another GPU's without being its peer.
// - TESSERA_EMULATED_FAILURE makes a call fail (emulated_failures.hpp), of the compiler and of cuBLAS, too.
// TESSERA_EMULATED_GPUS, _MEMORY (bytes), _SEED, _DRIVER.
// - With TESSERA_EMULATED_APART no GPU reaches another's memory; with TESSERA_EMULATED_UNLIKE all are of other kinds.
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/device/door/cuda.hpp"
#include "runtime/device/steps/launcher.hpp"
#include "tests/device/emulated_machine.hpp"

using tessera::emulated::Context;
using tessera::emulated::Event;
using tessera::emulated::Graph;
using tessera::emulated::Machine;
using tessera::emulated::machine;
using tessera::emulated::Stream;
using tessera::emulated::Task;
namespace cuda = tessera::device::cuda;

#define DECLARE(member, symbol, parameters) extern "C" int symbol parameters;
TESSERA_CUDA_FUNCTIONS(DECLARE)
#undef DECLARE

namespace {

constexpr int kInvalid = 1;
constexpr int kNoDevice = 101;
constexpr int kNoContext = 201;
constexpr int kNotFound = 500;
constexpr int kBadHandle = 400;
constexpr int kWhileCapturing = 900;

thread_local std::vector<Context*> current_contexts;

struct Function {
  void (*run)(const void* args, std::int64_t blocks, std::uint64_t seed) = nullptr;
};
// A library of the host's, or, where there is none, what stands for a real GPU's machine code.
struct Module final : tessera::emulated::Thing {
  explicit Module(void* opened) : library(opened) {}
  ~Module() override {
    if (library != nullptr) dlclose(library);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  const char* name() const override { return "module"; }
  void* library = nullptr;
  Function function;
};
void do_nothing(const void* /*args*/, std::int64_t /*blocks*/, std::uint64_t /*seed*/) {}

// A call that needs no context.
template <class F>
int called(const char* symbol, F&& act, int gpu = -1) {
  Machine& m = machine();
  const std::scoped_lock lock(m.mutex());
  const int code = m.failure_of(symbol, gpu);
  return code != 0 ? code : act(m);
}
template <class F>
int called_in_context(const char* symbol, F&& act) {
  const auto here = [&](Machine& m) {
    return current_contexts.empty() ? kNoContext : act(m, *current_contexts.back());
  };
  return called(symbol, here, current_contexts.empty() ? -1 : current_contexts.back()->gpu);
}
// A call that adds work to a stream of the current context.
template <class F>
int called_on(const char* symbol, void* given, F&& act) {
  return called_in_context(symbol, [&](Machine& m, Context& context) {
    auto* const stream = static_cast<Stream*>(given);
    return !m.knows(stream) || stream->context != &context ? kBadHandle : act(m, *stream);
  });
}
bool captures(Machine& m, void* stream) {
  return m.knows(static_cast<Stream*>(stream)) && static_cast<Stream*>(stream)->capture != nullptr;
}
std::byte* memory_at(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

}  // namespace

extern "C" {

int cuInit(unsigned /*flags*/) {
  return called("cuInit", [](Machine& m) { return m.gpus() == 0 ? 100 : 0; });
}
int cuDriverGetVersion(int* version) {
  return called("cuDriverGetVersion", [&](Machine&) {
    const char* const given = std::getenv("TESSERA_EMULATED_DRIVER");
    *version = given == nullptr ? 13000 : std::atoi(given);
    return 0;
  });
}

int cuGetErrorName(int code, const char** name) {
  struct Named {
    int code;
    const char* name;
  };
  constexpr std::array kNames{Named{0, "CUDA_SUCCESS"},
                              Named{1, "CUDA_ERROR_INVALID_VALUE"},
                              Named{2, "CUDA_ERROR_OUT_OF_MEMORY"},
                              Named{100, "CUDA_ERROR_NO_DEVICE"},
                              Named{101, "CUDA_ERROR_INVALID_DEVICE"},
                              Named{201, "CUDA_ERROR_INVALID_CONTEXT"},
                              Named{214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
                              Named{400, "CUDA_ERROR_INVALID_HANDLE"},
                              Named{600, "CUDA_ERROR_NOT_READY"},
                              Named{700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                              Named{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                              Named{719, "CUDA_ERROR_LAUNCH_FAILED"},
                              Named{999, "CUDA_ERROR_UNKNOWN"}};
  for (const Named& known : kNames) {
    if (known.code == code) {
      *name = known.name;
      return 0;
    }
  }
  return kInvalid;
}
int cuGetErrorString(int code, const char** text) { return cuGetErrorName(code, text); }

int cuDeviceGetCount(int* count) {
  return called("cuDeviceGetCount", [&](Machine& m) {
    *count = m.gpus();
    return 0;
  });
}
int cuDeviceGet(int* device, int number) {
  return called("cuDeviceGet", [&](Machine& m) {
    *device = number;
    return number < 0 || number >= m.gpus() ? kNoDevice : 0;
  });
}
int cuDeviceGetName(char* name, int size, int device) {
  return called("cuDeviceGetName", [&](Machine& m) {
    const bool unlike = std::getenv("TESSERA_EMULATED_UNLIKE") != nullptr;
    std::snprintf(name, static_cast<std::size_t>(size), unlike ? "Emulated GPU of kind %d" : "Emulated GPU", device);
    return device < m.gpus() ? 0 : kNoDevice;
  });
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return called("cuDeviceGetAttribute", [&](Machine& m) {
    *value = attribute == cuda::kMultiprocessors ? 4 : attribute == cuda::kCapabilityMajor ? 9 : 0;
    return device < m.gpus() ? 0 : kNoDevice;
  });
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return called("cuDeviceTotalMem_v2", [&](Machine& m) {
    *bytes = m.total();
    return device < m.gpus() ? 0 : kNoDevice;
  });
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  return called("cuDevicePrimaryCtxRetain", [&](Machine& m) {
    if (device < 0 || device >= m.gpus()) return kNoDevice;
    ++m.context(device).holders;
    *context = &m.context(device);
    return 0;
  });
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  return called("cuDevicePrimaryCtxRelease_v2",
                [&](Machine& m) { return --m.context(device).holders < 0 ? kNoContext : 0; });
}
int cuCtxPushCurrent_v2(void* context) {
  return called("cuCtxPushCurrent_v2", [&](Machine&) {
    current_contexts.push_back(static_cast<Context*>(context));
    return 0;
  });
}
int cuCtxPopCurrent_v2(void** context) {
  const std::scoped_lock lock(machine().mutex());
  if (current_contexts.empty()) return kNoContext;
  *context = current_contexts.back();
  current_contexts.pop_back();
  return 0;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return called_in_context("cuMemGetInfo_v2", [&](Machine& m, Context& context) {
    *free = m.left(context.gpu);
    *total = m.total();
    return 0;
  });
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  return called_in_context("cuMemAlloc_v2", [&](Machine& m, Context& context) {
    return m.allocate(context.gpu, bytes, *address) ? 0 : cuda::kOutOfMemory;
  });
}
int cuMemFree_v2(std::uint64_t address) {
  return called_in_context("cuMemFree_v2", [&](Machine& m, Context&) { return m.free(address) ? 0 : kInvalid; });
}
int cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  return called_in_context("cuMemAllocHost_v2", [&](Machine& m, Context&) {
    *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (*memory == nullptr) return cuda::kOutOfMemory;
    std::memset(*memory, 0x7f, bytes);
    m.add_pinned(static_cast<std::byte*>(*memory), bytes);
    return 0;
  });
}
int cuMemFreeHost(void* memory) {
  return called_in_context("cuMemFreeHost", [&](Machine& m, Context&) {
    m.go_on_until_idle();
    if (!m.remove_pinned(memory)) return kInvalid;
    std::free(memory);
    return 0;
  });
}

int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  return called_on("cuMemcpyHtoDAsync_v2", stream, [&](Machine& m, Stream& s) {
    if (m.holder(to, bytes) == nullptr || !m.is_pinned(from, bytes)) return kInvalid;
    m.add(s, {0, [=] { std::memcpy(memory_at(to), from, bytes); }});
    return 0;
  });
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  return called_on("cuMemcpyDtoHAsync_v2", stream, [&](Machine& m, Stream& s) {
    if (m.holder(from, bytes) == nullptr || !m.is_pinned(to, bytes)) return kInvalid;
    m.add(s, {0, [=] { std::memcpy(to, memory_at(from), bytes); }});
    std::memset(to, 0x7f, bytes);
    return 0;
  });
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  return called_on("cuMemcpyDtoDAsync_v2", stream, [&](Machine& m, Stream& s) {
    if (m.holder(to, bytes) == nullptr || m.holder(from, bytes) == nullptr) return kInvalid;
    m.add(s, {0, [=] { std::memcpy(memory_at(to), memory_at(from), bytes); }});
    return 0;
  });
}
int cuMemcpyPeerAsync(std::uint64_t to, void* to_context, std::uint64_t from, void* from_context, std::size_t bytes,
                      void* stream) {
  return called_on("cuMemcpyPeerAsync", stream, [&](Machine& m, Stream& s) {
    const auto* const target = m.holder(to, bytes);
    const auto* const source = m.holder(from, bytes);
    if (target == nullptr || source == nullptr || target->gpu != static_cast<Context*>(to_context)->gpu ||
        source->gpu != static_cast<Context*>(from_context)->gpu) {
      return kInvalid;
    }
    m.add(s, {0, [=, &m] { m.copy_between(to, from, bytes); }});
    return 0;
  });
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream) {
  return called_on("cuMemsetD8Async", stream, [&](Machine& m, Stream& s) {
    if (m.holder(to, bytes) == nullptr) return kInvalid;
    m.add(s, {0, [=] { std::memset(memory_at(to), value, bytes); }});
    return 0;
  });
}

int cuStreamCreate(void** stream, unsigned /*flags*/) {
  return called_in_context("cuStreamCreate", [&](Machine& m, Context& context) {
    *stream = m.new_stream(context);
    return 0;
  });
}
int cuStreamDestroy_v2(void* stream) {
  return called_in_context("cuStreamDestroy_v2", [&](Machine& m, Context&) {
    return m.end_stream(static_cast<Stream*>(stream)) ? 0 : kBadHandle;
  });
}
int cuStreamSynchronize(void* stream) {
  return called_on("cuStreamSynchronize", stream, [&](Machine& m, Stream& s) {
    if (s.capture != nullptr) return kWhileCapturing;
    return m.go_on_until([&] { return s.tasks.empty(); }) ? 0 : 702;
  });
}
int cuStreamWaitEvent(void* stream, void* event, unsigned /*flags*/) {
  return called_on("cuStreamWaitEvent", stream, [&](Machine& m, Stream& s) {
    const auto waits_for = m.find<Event>(event);
    if (waits_for == nullptr) return kBadHandle;
    m.add(s, {0, nullptr, waits_for, waits_for->recorded});
    return 0;
  });
}
int cuEventCreate(void** event, unsigned flags) {
  return called_in_context("cuEventCreate", [&](Machine& m, Context&) {
    const auto made = std::make_shared<Event>();
    made->has_times = flags != cuda::kEventNoTimes;
    *event = m.give(made);
    return 0;
  });
}
int cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  return called_in_context("cuEventElapsedTime", [&](Machine& m, Context&) {
    const auto from = m.find<Event>(begin);
    const auto to = m.find<Event>(end);
    if (from == nullptr || to == nullptr || !from->has_times || !to->has_times) return kBadHandle;
    if (from->done < from->recorded || to->done < to->recorded) return cuda::kNotReady;
    *milliseconds = static_cast<float>((to->seconds - from->seconds) * 1e3);
    return 0;
  });
}
int cuEventDestroy_v2(void* event) {
  return called_in_context("cuEventDestroy_v2", [&](Machine& m, Context&) { return m.end(event) ? 0 : kBadHandle; });
}
int cuEventRecord(void* event, void* stream) {
  return called_on("cuEventRecord", stream, [&](Machine& m, Stream& s) {
    const auto recorded = m.find<Event>(event);
    if (recorded == nullptr) return kBadHandle;
    const std::uint64_t record = ++recorded->recorded;
    m.add(s, {0, [=] {
                recorded->done = record;
                recorded->seconds =
                    std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
              }});
    return 0;
  });
}
int cuEventSynchronize(void* event) {
  return called_in_context("cuEventSynchronize", [&](Machine& m, Context&) {
    const auto waited = m.find<Event>(event);
    if (waited == nullptr) return kBadHandle;
    return m.go_on_until([&] { return waited->done >= waited->recorded; }) ? 0 : 702;
  });
}
int cuEventQuery(void* event) {
  return called_in_context("cuEventQuery", [&](Machine& m, Context&) {
    const auto asked = m.find<Event>(event);
    if (asked == nullptr) return kBadHandle;
    m.take_one();
    return asked->done >= asked->recorded ? 0 : cuda::kNotReady;
  });
}

// The "machine code" is the path of a shared library. That of a GPU is taken, too, and does nothing: a program then
// has all its kernels compiled by the real compiler, and computes nonsense.
int cuModuleLoadDataEx(void** module, const void* code, unsigned /*count*/, int* /*options*/, void** /*values*/) {
  return called_in_context("cuModuleLoadDataEx", [&](Machine& m, Context&) {
    constexpr std::string_view kBegin = "emulated ";
    const std::string_view text = static_cast<const char*>(code);
    if (text.starts_with("\x7f"
                         "ELF")) {
      *module = m.give(std::make_shared<Module>(nullptr));
      return 0;
    }
    if (!text.starts_with(kBegin)) return 200;
    void* const library = dlopen(text.data() + kBegin.size(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return 301;
    *module = m.give(std::make_shared<Module>(library));
    return 0;
  });
}
int cuModuleUnload(void* module) {
  return called_in_context("cuModuleUnload", [&](Machine& m, Context&) {
    m.go_on_until_idle();
    return m.end(module) ? 0 : kBadHandle;
  });
}
int cuModuleGetFunction(void** function, void* given, const char* name) {
  return called_in_context("cuModuleGetFunction", [&](Machine& m, Context&) {
    const auto module = m.find<Module>(given);
    if (module == nullptr) return kBadHandle;
    void* const entry = module->library == nullptr ? nullptr : dlsym(module->library, name);
    if (module->library != nullptr && entry == nullptr) return kNotFound;
    module->function.run = entry == nullptr ? do_nothing : reinterpret_cast<decltype(Function::run)>(entry);
    *function = &module->function;
    return 0;
  });
}
int cuFuncGetAttribute(int* value, int attribute, void* /*function*/) {
  return called_in_context("cuFuncGetAttribute", [&](Machine&, Context&) {
    *value = attribute == cuda::kFunctionThreads ? 128 : 0;
    return 0;
  });
}

int cuLaunchKernel(void* function, unsigned blocks, unsigned blocks_y, unsigned blocks_z, unsigned threads,
                   unsigned threads_y, unsigned threads_z, unsigned /*shared*/, void* stream, void** arguments,
                   void** extra) {
  return called_on("cuLaunchKernel", stream, [&](Machine& m, Stream& s) {
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    for (void** at = extra; at != nullptr && reinterpret_cast<std::uintptr_t>(*at) != cuda::kLaunchEnd; at += 2) {
      if (reinterpret_cast<std::uintptr_t>(*at) == cuda::kLaunchBuffer) buffer = at[1];
      if (reinterpret_cast<std::uintptr_t>(*at) == cuda::kLaunchBufferSize) bytes = *static_cast<std::size_t*>(at[1]);
    }
    const bool is_shaped = blocks > 0 && blocks < 1U << 31U && blocks_y == 1 && blocks_z == 1 && threads > 0 &&
                           threads <= 1024 && threads_y == 1 && threads_z == 1;
    if (!is_shaped || buffer == nullptr || bytes == 0 || bytes > 4096 || arguments != nullptr) return kInvalid;
    const auto* const from = static_cast<const std::byte*>(buffer);
    std::vector<std::byte> args(from, from + bytes);
    auto* const run = static_cast<Function*>(function)->run;
    m.add(s, {0, [=, &m, kept = std::move(args)] { run(kept.data(), blocks, m.random()); }});
    return 0;
  });
}

int cuStreamBeginCapture_v2(void* stream, int /*mode*/) {
  return called_on("cuStreamBeginCapture_v2", stream, [&](Machine& m, Stream& s) {
    if (captures(m, stream)) return kWhileCapturing;
    s.capture = std::make_shared<Graph>();
    return 0;
  });
}
// Also one that fails ends it.
int cuStreamEndCapture(void* stream, void** graph) {
  std::shared_ptr<Graph> captured;
  if (captures(machine(), stream)) captured = std::move(static_cast<Stream*>(stream)->capture);
  return called_on("cuStreamEndCapture", stream, [&](Machine& m, Stream&) {
    if (captured == nullptr) return kWhileCapturing;
    *graph = m.give(std::move(captured));
    return 0;
  });
}
int cuGraphInstantiateWithFlags(void** instance, void* graph, unsigned long long /*flags*/) {
  return called_in_context("cuGraphInstantiateWithFlags", [&](Machine& m, Context&) {
    const auto from = m.find<Graph>(graph);
    if (from == nullptr) return kBadHandle;
    *instance = m.give(std::make_shared<Graph>(*from));
    return 0;
  });
}
int cuGraphLaunch(void* instance, void* stream) {
  return called_on("cuGraphLaunch", stream, [&](Machine& m, Stream& s) {
    const auto graph = m.find<Graph>(instance);
    if (graph == nullptr) return kBadHandle;
    m.add_graph(s, *graph);
    return 0;
  });
}
int cuGraphExecDestroy(void* instance) {
  return called_in_context("cuGraphExecDestroy",
                           [&](Machine& m, Context&) { return m.end(instance) ? 0 : kBadHandle; });
}
int cuGraphDestroy(void* graph) {
  return called_in_context("cuGraphDestroy", [&](Machine& m, Context&) { return m.end(graph) ? 0 : kBadHandle; });
}

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return called("cuDeviceCanAccessPeer", [&](Machine& m) {
    const bool are_there = device < m.gpus() && peer < m.gpus();
    *can = are_there && device != peer && std::getenv("TESSERA_EMULATED_APART") == nullptr ? 1 : 0;
    return are_there ? 0 : kNoDevice;
  });
}
int cuCtxEnablePeerAccess(void* peer, unsigned /*flags*/) {
  return called_in_context("cuCtxEnablePeerAccess", [&](Machine&, Context& context) {
    const int gpu = static_cast<Context*>(peer)->gpu;
    if (std::getenv("TESSERA_EMULATED_APART") != nullptr) return 217;
    return context.peers.insert(gpu).second ? 0 : cuda::kPeerAccessAlreadyEnabled;
  });
}

// For tests: has the call failed that should, what has not been given back, and forget it.
int tessera_emulated_has_failed();
int tessera_emulated_has_failed() { return machine().has_failed() ? 1 : 0; }
const char* tessera_emulated_held();
const char* tessera_emulated_held() {
  static std::string held;
  held = machine().held();
  return held.c_str();
}
void tessera_emulated_forget();
void tessera_emulated_forget() { machine().forget(); }

// What the vendor's compiler asks the driver for; it goes on without.
int cuGetExportTable(const void** table, const void* /*id*/);
int cuGetExportTable(const void** table, const void* /*id*/) {
  *table = nullptr;
  return 801;
}

}  // extern "C"
