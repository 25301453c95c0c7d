#include "runtime/kernels/blas_scratch.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include "base/check.hpp"

extern "C" void* blas_memory_alloc(int kind);

namespace {

constexpr const char* kName = "blas_memory_alloc";

using Allocate = void* (*)(int);

}  // namespace

// Comes before OpenBLAS' own function of this name, which it calls.
extern "C" [[gnu::visibility("default")]] void* blas_memory_alloc(int kind) {
  static std::mutex one_at_a_time;
  static const auto theirs = reinterpret_cast<Allocate>(dlsym(RTLD_NEXT, kName));
  TESSERA_CHECK(theirs != nullptr, "OpenBLAS has no blas_memory_alloc");
  const std::scoped_lock lock(one_at_a_time);
  return theirs(kind);
}

namespace tessera::runtime {

namespace {

bool calls_keep_apart() {
  constexpr int kWithoutThreads = 0;
  if (openblas_get_parallel() != kWithoutThreads) return true;  // these builds lock the list themselves
  return dlsym(RTLD_DEFAULT, kName) == reinterpret_cast<void*>(&blas_memory_alloc);
}

}  // namespace

BlasCall::BlasCall() {
  static const bool apart = calls_keep_apart();
  static std::mutex one_call;
  if (!apart) alone_ = std::unique_lock(one_call);
}

}  // namespace tessera::runtime
