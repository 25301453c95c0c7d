#include <dlfcn.h>
#include <fmt/format.h>

#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/blas_library.hpp"
#include "runtime/kernels/blas_scratch.hpp"

namespace tessera::runtime {

namespace {

template <class F>
F function(void* library, const char* name) {
  void* const found = dlsym(library, name);
  TESSERA_CHECK(found != nullptr, fmt::format("{} has no {}", TESSERA_BLAS_PATH, name));
  return reinterpret_cast<F>(found);
}

// RTLD_LOCAL: nobody else finds its functions. RTLD_DEEPBIND: it finds its own before the host's; OpenBLAS calls itself
// through the dynamic linker, so that a host's OpenBLAS would otherwise give this one its buffers and its kernels.
void* open_library() {
  void* const library = dlopen(TESSERA_BLAS_PATH, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  TESSERA_CHECK(library != nullptr,
                fmt::format("OpenBLAS' build without threads is not at {} (Debian: apt install libopenblas0-serial)",
                            TESSERA_BLAS_PATH));
  return library;
}

}  // namespace

const BlasLibrary& blas_library() {
  static const BlasLibrary library = [] {
    void* const opened = open_library();
    return BlasLibrary{function<decltype(&cblas_sgemm)>(opened, "cblas_sgemm"),
                       function<decltype(&cblas_dgemm)>(opened, "cblas_dgemm"),
                       function<decltype(&openblas_get_corename)>(opened, "openblas_get_corename")};
  }();
  return library;
}

// A build without threads does not keep calls apart (blas_scratch.hpp), and this copy does not see functions of ours.
BlasCall::BlasCall() {
  static std::mutex one_call;
  alone_ = std::unique_lock(one_call);
}

// One call at a time needs one buffer, which the first has mapped.
void map_scratch_buffer() {
  constexpr blasint kSize = 32;
  const std::vector<float> zeros(kSize * kSize);
  std::vector<float> out(kSize * kSize);
  const BlasCall call;
  blas_library().sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSize, kSize, kSize, 1, zeros.data(), kSize,
                       zeros.data(), kSize, 0, out.data(), kSize);
}

}  // namespace tessera::runtime
