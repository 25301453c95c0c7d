#include <dlfcn.h>

#include "base/check.hpp"
#include "runtime/kernels/blas_library.hpp"
#include "runtime/kernels/blas_scratch.hpp"

extern "C" void* blas_memory_alloc(int kind);

namespace {

constexpr const char* kTake = "blas_memory_alloc";
constexpr const char* kGiveBack = "blas_memory_free";

template <class F>
F theirs(const char* name) {
  const auto found = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  TESSERA_CHECK(found != nullptr, "OpenBLAS has no function of a buffer");
  return found;
}

}  // namespace

// Comes before OpenBLAS' own function of this name, which it calls.
extern "C" [[gnu::visibility("default")]] void* blas_memory_alloc(int kind) {
  static const auto take = theirs<void* (*)(int)>(kTake);
  const std::scoped_lock lock(tessera::runtime::scratch_list());
  return take(kind);
}

namespace tessera::runtime {

// Another build of the library than the one we ask for may be the machine's default: it is told to keep to one thread,
// and locks its list itself.
const BlasLibrary& blas_library() {
  static const BlasLibrary library = [] {
    openblas_set_num_threads(1);
    constexpr int kWithoutThreads = 0;
    const bool comes_first = dlsym(RTLD_DEFAULT, kTake) == reinterpret_cast<void*>(&blas_memory_alloc);
    return BlasLibrary{&cblas_sgemm,
                       &cblas_dgemm,
                       &cblas_ssyrk,
                       &cblas_dsyrk,
                       &openblas_get_corename,
                       theirs<void* (*)(int)>(kTake),
                       theirs<void (*)(void*)>(kGiveBack),
                       comes_first || openblas_get_parallel() != kWithoutThreads};
  }();
  return library;
}

}  // namespace tessera::runtime
