// The functions of NVIDIA's driver that we call, as one table: the struct of pointers, the loading and a check against
// the vendor's header come from it. The declarations are our own; handles are opaque, and every enum is an int.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::device {

// FOREACH(member, symbol, parameters). Symbols are those of the library, whatever a header makes of them.
#define TESSERA_CUDA_FUNCTIONS(FOREACH)                                                                               \
  FOREACH(init, cuInit, (unsigned flags))                                                                             \
  FOREACH(driver_version, cuDriverGetVersion, (int* version))                                                         \
  FOREACH(error_name, cuGetErrorName, (int code, const char** name))                                                  \
  FOREACH(error_text, cuGetErrorString, (int code, const char** text))                                                \
  FOREACH(device_count, cuDeviceGetCount, (int* count))                                                               \
  FOREACH(device, cuDeviceGet, (int* device, int number))                                                             \
  FOREACH(device_name, cuDeviceGetName, (char* name, int size, int device))                                           \
  FOREACH(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, int device))                            \
  FOREACH(device_memory, cuDeviceTotalMem_v2, (std::size_t* bytes, int device))                                       \
  FOREACH(retain_context, cuDevicePrimaryCtxRetain, (void** context, int device))                                     \
  FOREACH(release_context, cuDevicePrimaryCtxRelease_v2, (int device))                                                \
  FOREACH(push_context, cuCtxPushCurrent_v2, (void* context))                                                         \
  FOREACH(pop_context, cuCtxPopCurrent_v2, (void** context))                                                          \
  FOREACH(memory, cuMemGetInfo_v2, (std::size_t* free, std::size_t* total))                                           \
  FOREACH(allocate, cuMemAlloc_v2, (std::uint64_t* address, std::size_t bytes))                                       \
  FOREACH(free, cuMemFree_v2, (std::uint64_t address))                                                                \
  FOREACH(allocate_pinned, cuMemAllocHost_v2, (void** memory, std::size_t bytes))                                     \
  FOREACH(free_pinned, cuMemFreeHost, (void* memory))                                                                 \
  FOREACH(copy_in, cuMemcpyHtoDAsync_v2, (std::uint64_t to, const void* from, std::size_t bytes, void* stream))       \
  FOREACH(copy_out, cuMemcpyDtoHAsync_v2, (void* to, std::uint64_t from, std::size_t bytes, void* stream))            \
  FOREACH(copy_within, cuMemcpyDtoDAsync_v2, (std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream)) \
  FOREACH(                                                                                                            \
      copy_between, cuMemcpyPeerAsync,                                                                                \
      (std::uint64_t to, void* to_context, std::uint64_t from, void* from_context, std::size_t bytes, void* stream))  \
  FOREACH(set_bytes, cuMemsetD8Async, (std::uint64_t to, unsigned char value, std::size_t bytes, void* stream))       \
  FOREACH(new_stream, cuStreamCreate, (void** stream, unsigned flags))                                                \
  FOREACH(end_stream, cuStreamDestroy_v2, (void* stream))                                                             \
  FOREACH(wait_for_stream, cuStreamSynchronize, (void* stream))                                                       \
  FOREACH(stream_waits, cuStreamWaitEvent, (void* stream, void* event, unsigned flags))                               \
  FOREACH(new_event, cuEventCreate, (void** event, unsigned flags))                                                   \
  FOREACH(end_event, cuEventDestroy_v2, (void* event))                                                                \
  FOREACH(record, cuEventRecord, (void* event, void* stream))                                                         \
  FOREACH(wait_for_event, cuEventSynchronize, (void* event))                                                          \
  FOREACH(ask_event, cuEventQuery, (void* event))                                                                     \
  FOREACH(elapsed, cuEventElapsedTime, (float* milliseconds, void* begin, void* end))                                 \
  FOREACH(load_module, cuModuleLoadDataEx,                                                                            \
          (void** module, const void* code, unsigned count, int* options, void** values))                             \
  FOREACH(unload_module, cuModuleUnload, (void* module))                                                              \
  FOREACH(function, cuModuleGetFunction, (void** function, void* module, const char* name))                           \
  FOREACH(function_attribute, cuFuncGetAttribute, (int* value, int attribute, void* function))                        \
  FOREACH(launch, cuLaunchKernel,                                                                                     \
          (void* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,               \
           unsigned threads_y, unsigned threads_z, unsigned shared, void* stream, void** arguments, void** extra))    \
  FOREACH(begin_capture, cuStreamBeginCapture_v2, (void* stream, int mode))                                           \
  FOREACH(end_capture, cuStreamEndCapture, (void* stream, void** graph))                                              \
  FOREACH(instantiate, cuGraphInstantiateWithFlags, (void** instance, void* graph, unsigned long long flags))         \
  FOREACH(launch_graph, cuGraphLaunch, (void* instance, void* stream))                                                \
  FOREACH(end_instance, cuGraphExecDestroy, (void* instance))                                                         \
  FOREACH(end_graph, cuGraphDestroy, (void* graph))                                                                   \
  FOREACH(can_access_peer, cuDeviceCanAccessPeer, (int* can, int device, int peer))                                   \
  FOREACH(enable_peer, cuCtxEnablePeerAccess, (void* peer, unsigned flags))

struct CudaCalls {
#define MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
  TESSERA_CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
};

// Numbers that the functions take and give.
namespace cuda {

inline constexpr int kOutOfMemory = 2;
inline constexpr int kNotReady = 600;
inline constexpr int kPeerAccessAlreadyEnabled = 704;

inline constexpr int kMultiprocessors = 16;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;

inline constexpr int kFunctionThreads = 0;  // as many threads as a block may have
inline constexpr int kFunctionStack = 3;    // bytes of memory that each thread has beside its registers
inline constexpr int kFunctionRegisters = 4;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventWithTimes = 0;
inline constexpr unsigned kEventNoTimes = 2;
inline constexpr int kCaptureOfThread = 1;

// What `extra` of a launch is made of: the arguments as one buffer.
inline constexpr std::uintptr_t kLaunchEnd = 0;
inline constexpr std::uintptr_t kLaunchBuffer = 1;
inline constexpr std::uintptr_t kLaunchBufferSize = 2;

// After such an error a context answers nothing but errors: the GPU, or what this process had on it, is lost.
constexpr bool is_loss(int code) {
  return code == 214 || code == 220 || code == 700 || code == 702 || code == 710 || (code >= 714 && code <= 719) ||
         code == 999;
}

}  // namespace cuda

}  // namespace tessera::device
