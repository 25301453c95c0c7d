// The door to BLAS: matrix products of tiles, cut into calls by their shape alone.
//
// The last bits of a BLAS result depend on the sizes of the call, not on addresses or leading dimensions. So a product
// is always made of the same calls, on any rank and any number of threads; their results are added in order.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace tessera::runtime {

template <class T>
concept BlasElement = std::same_as<T, float> || std::same_as<T, double>;

// A matrix in memory, one of whose strides is 1.
template <class T>
struct Matrix {
  const T* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
};

// out = left * right, or out += left * right. `out` is row-major with rows `out_stride` apart. No size is 0 or above
// kBlasSizeMax, and no stride above it.
inline constexpr std::int64_t kBlasSizeMax = std::int64_t{1} << 30U;
struct BlasSizes {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t terms = 0;
};
template <BlasElement T>
void blas_multiply(const BlasSizes& sizes, const Matrix<T>& left, const Matrix<T>& right, bool add, T* out,
                   std::int64_t out_stride);

// The same of a matrix and its own transpose, on and above the diagonal of `out` only.
template <BlasElement T>
void blas_multiply_by_transpose(const BlasSizes& sizes, const Matrix<T>& matrix, bool add, T* out,
                                std::int64_t out_stride);

// Called before threads begin to work on a program with products: makes sure, if there is room, that one of them can be
// under way. `no-blas` if there is no library to multiply with.
base::Status prepare_products();

// The kind of processor that the library has chosen its code for, `Haswell`: another kind gives other last bits.
// Empty without a library.
std::string blas_processor();

}  // namespace tessera::runtime
