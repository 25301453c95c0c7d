// Our declarations of the vendor's functions against the vendor's own, where a machine has its headers. This file does
// not name what it cannot compile: CMake defines TESSERA_CUDA_HEADERS where there are some.
#include <gtest/gtest.h>

#include <type_traits>

#if defined(TESSERA_CUDA_HEADERS)

#include <cuda.h>
#include <nvrtc.h>

// The headers of cuBLAS need those of a package more.
#if __has_include(<cublas_v2.h>) && __has_include(<crt/host_defines.h>) && __has_include(<nv/target>)
#include <cublas_v2.h>
#define TESSERA_CUBLAS_HEADERS
#endif

#include "runtime/device/door/compiler_calls.hpp"
#include "runtime/device/door/cublas.hpp"
#include "runtime/device/door/cuda.hpp"

namespace tessera::device {
namespace {

template <class T>
constexpr bool kIsNumber = std::is_integral_v<T> || std::is_enum_v<T>;

// Passed alike: numbers of one size, pointers to what is passed alike or to what only one side knows.
template <class Ours, class Theirs>
constexpr bool is_alike() {
  if constexpr (std::is_same_v<Ours, Theirs>) {
    return true;
  } else if constexpr (kIsNumber<Ours> && kIsNumber<Theirs>) {
    return sizeof(Ours) == sizeof(Theirs);
  } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using Our = std::remove_pointer_t<Ours>;
    using Their = std::remove_pointer_t<Theirs>;
    if constexpr (std::is_void_v<Our>) {
      return std::is_void_v<Their> || std::is_class_v<Their>;
    } else {
      return std::is_const_v<Our> == std::is_const_v<Their> &&
             is_alike<std::remove_const_t<Our>, std::remove_const_t<Their>>();
    }
  } else {
    return false;
  }
}

template <class Ours, class Theirs>
struct Alike : std::false_type {};
template <class R, class... Ours, class S, class... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct Alike<R (*)(Ours...), S(Theirs...)> : std::bool_constant<is_alike<R, S>() && (is_alike<Ours, Theirs>() && ...)> {
};

#define CHECK_ALIKE(member, symbol, parameters) \
  static_assert(Alike<int(*) parameters, decltype(symbol)>::value, "not as the vendor declares it: " #symbol);
TESSERA_CUDA_FUNCTIONS(CHECK_ALIKE)
TESSERA_NVRTC_FUNCTIONS(CHECK_ALIKE)

static_assert(cuda::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(cuda::kNotReady == CUDA_ERROR_NOT_READY);
static_assert(cuda::kPeerAccessAlreadyEnabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
static_assert(cuda::kMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(cuda::kCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(cuda::kCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(cuda::kFunctionThreads == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(cuda::kFunctionStack == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(cuda::kFunctionRegisters == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(cuda::kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::kEventNoTimes == CU_EVENT_DISABLE_TIMING);
static_assert(cuda::kCaptureOfThread == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(cuda::kLaunchEnd == CU_LAUNCH_PARAM_END_AS_INT);
static_assert(cuda::kLaunchBuffer == CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT);
static_assert(cuda::kLaunchBufferSize == CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT);
static_assert(cuda::is_loss(CUDA_ERROR_ILLEGAL_ADDRESS) && cuda::is_loss(CUDA_ERROR_LAUNCH_FAILED) &&
              cuda::is_loss(CUDA_ERROR_ECC_UNCORRECTABLE) && !cuda::is_loss(CUDA_ERROR_OUT_OF_MEMORY));

#if defined(TESSERA_CUBLAS_HEADERS)
TESSERA_CUBLAS_FUNCTIONS(CHECK_ALIKE)
static_assert(cublas::kFloat32 == CUDA_R_32F && cublas::kFloat64 == CUDA_R_64F);
static_assert(cublas::kFloat16 == CUDA_R_16F && cublas::kBrain16 == CUDA_R_16BF);
static_assert(cublas::kSumsOfFloat32 == CUBLAS_COMPUTE_32F && cublas::kSumsOfFloat64 == CUBLAS_COMPUTE_64F);
static_assert(cublas::kSumsOfTensor32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(cublas::kNotTurned == CUBLAS_OP_N && cublas::kTurned == CUBLAS_OP_T);
static_assert(cublas::kDefaultMath == CUBLAS_DEFAULT_MATH && cublas::kDefaultAlgorithm == CUBLAS_GEMM_DEFAULT);
#endif
#undef CHECK_ALIKE

TEST(VendorHeaders, DeclareWhatWeDeclare) { SUCCEED() << "this file has been compiled"; }

}  // namespace
}  // namespace tessera::device

#else

TEST(VendorHeaders, DeclareWhatWeDeclare) { GTEST_SKIP() << "there is no cuda.h; set TESSERA_CUDA_HEADERS"; }

#endif
