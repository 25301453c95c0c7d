// The dialect that kernels are written in. A kernel is a struct K:
//
//     struct Args {...};                    plain data; every address is a number of 64 bits
//     struct Shared {...};                  what the threads of a block share, at most 48 KiB; empty: nothing
//     struct Own {...};                     what a thread keeps from phase to phase
//     static constexpr int kThreads;        of a block
//     static constexpr int kPhases;
//     static std::int64_t turns(const Args&, std::int64_t block);     how often a block goes through all its phases
//     template <int phase>
//     static void run(const Args&, At, Shared&, Own&);
//
// Between two phases, and between the last of a turn and the first of the next, the threads of a block wait for each
// other where they share something. A phase reads only what earlier phases wrote to Shared. There is no other way to
// wait for another thread, and no vote, shuffle or atomic operation on floats. So a loop over threads, in any order, is
// a full emulation, which is what the host makes of a kernel.
//
// TESSERA_KERNEL(name, K) makes the entry: for a GPU a function `name`, for the host one that emulates it.
#pragma once

#include <cstdint>

namespace tessera::kernel {

struct At {
  std::int64_t block = 0;
  std::int64_t blocks = 0;
  int thread = 0;
  std::int64_t turn = 0;
};

template <class K>
inline constexpr bool kShares = !__is_empty(typename K::Shared);

// A kernel whose threads share nothing and go through one phase once.
template <int threads>
struct OnePhase {
  struct Shared {};
  struct Own {};
  static constexpr int kThreads = threads;
  static constexpr int kPhases = 1;
  template <class Args>
  static std::int64_t turns(const Args& /*args*/, std::int64_t /*block*/) {
    return 1;
  }
};

// The memory at an address. (To say that it is no shared memory makes loads a little cheaper, but then NVRTC 13.0 never
// comes to an end where such a pointer has one of two origins.)
template <class T>
T* memory(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

#if defined(__CUDACC_RTC__)

#define TESSERA_UNROLL _Pragma("unroll")
#define TESSERA_UNROLL_TWICE _Pragma("unroll 2")

template <class K, int phase>
void run_phases(const typename K::Args& args, const At& at, typename K::Shared& shared, typename K::Own& own) {
  if constexpr (phase < K::kPhases) {
    K::template run<phase>(args, at, shared, own);
    if constexpr (kShares<K>) __syncthreads();
    run_phases<K, phase + 1>(args, at, shared, own);
  }
}

template <class K>
void run_block(const typename K::Args& args, typename K::Shared& shared) {
  At at{static_cast<std::int64_t>(blockIdx.x), static_cast<std::int64_t>(gridDim.x), static_cast<int>(threadIdx.x), 0};
  typename K::Own own;
  const std::int64_t turns = K::turns(args, at.block);
  _Pragma("unroll 1") for (; at.turn < turns; ++at.turn) run_phases<K, 0>(args, at, shared, own);
}

// One block of a multiprocessor is enough where a kernel may have all registers that it wants.
#if defined(TESSERA_ALL_REGISTERS)
#define TESSERA_BLOCKS , 1
#else
#define TESSERA_BLOCKS
#endif

#define TESSERA_KERNEL(name, ...)                                                                           \
  extern "C" __global__ void __launch_bounds__(__VA_ARGS__::kThreads TESSERA_BLOCKS)                        \
      name(const __grid_constant__ __VA_ARGS__::Args args) {                                                \
    __shared__ __align__(16) unsigned char tessera_shared[sizeof(__VA_ARGS__::Shared)];                     \
    tessera::kernel::run_block<__VA_ARGS__>(args, *reinterpret_cast<__VA_ARGS__::Shared*>(tessera_shared)); \
  }

#else

#define TESSERA_UNROLL
#define TESSERA_UNROLL_TWICE

#endif

}  // namespace tessera::kernel

#if !defined(__CUDACC_RTC__)
#include "runtime/device/text/emulation.hpp"
#endif
