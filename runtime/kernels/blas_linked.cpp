#include "runtime/kernels/blas_library.hpp"

namespace tessera::runtime {

// Another build of the library than the one we ask for may be the machine's default: it is told to keep to one thread.
const BlasLibrary& blas_library() {
  static const BlasLibrary library = [] {
    openblas_set_num_threads(1);
    return BlasLibrary{&cblas_sgemm, &cblas_dgemm, &openblas_get_corename};
  }();
  return library;
}

}  // namespace tessera::runtime
