#include "runtime/kernels/blas.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/kernels/blas_library.hpp"
#include "runtime/kernels/blas_scratch.hpp"

namespace tessera::runtime {

namespace {

blasint size(std::int64_t n) {
  TESSERA_CHECK(n <= kBlasSizeMax, "a product is too large for one call");
  return static_cast<blasint>(n);
}

// How the library is told of a matrix: row-major as it is, or the transpose of one.
struct Told {
  CBLAS_TRANSPOSE transposed;
  blasint leading;
};
template <class T>
Told told(const Matrix<T>& matrix, std::int64_t rows, std::int64_t columns) {
  if (matrix.column_stride == 1) return {CblasNoTrans, size(std::max(matrix.row_stride, columns))};
  TESSERA_CHECK(matrix.row_stride == 1, "a matrix without a stride of 1");
  return {CblasTrans, size(std::max(matrix.column_stride, rows))};
}

}  // namespace

std::string blas_processor() { return blas_library().processor(); }

template <BlasElement T>
void blas_multiply(const BlasSizes& sizes, const Matrix<T>& left, const Matrix<T>& right, bool add, T* out,
                   std::int64_t out_stride) {
  const BlasLibrary& library = blas_library();
  const Told a = told(left, sizes.rows, sizes.terms);
  const Told b = told(right, sizes.terms, sizes.columns);
  const T beta = add ? T{1} : T{0};
  const BlasCall call;
  if constexpr (std::same_as<T, float>) {
    library.sgemm(CblasRowMajor, a.transposed, b.transposed, size(sizes.rows), size(sizes.columns), size(sizes.terms),
                  1, left.data, a.leading, right.data, b.leading, beta, out, size(out_stride));
  } else {
    library.dgemm(CblasRowMajor, a.transposed, b.transposed, size(sizes.rows), size(sizes.columns), size(sizes.terms),
                  1, left.data, a.leading, right.data, b.leading, beta, out, size(out_stride));
  }
}

template void blas_multiply<float>(const BlasSizes&, const Matrix<float>&, const Matrix<float>&, bool, float*,
                                   std::int64_t);
template void blas_multiply<double>(const BlasSizes&, const Matrix<double>&, const Matrix<double>&, bool, double*,
                                    std::int64_t);

}  // namespace tessera::runtime
