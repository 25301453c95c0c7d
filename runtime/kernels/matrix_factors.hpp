// Elimination of one matrix, by halves: the columns on the left, what they do to those on the right, these. So almost
// all work is products of blocks. Private to the functions of matrices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/kernels/blas.hpp"

namespace tessera::runtime {

// Rows of a dense matrix in memory, `stride` elements apart.
template <class T>
struct Rows {
  T* data = nullptr;
  std::int64_t stride = 0;

  T* operator[](std::int64_t row) const { return data + row * stride; }
  Rows from(std::int64_t row, std::int64_t column) const { return {data + row * stride + column, stride}; }
};

// Columns of a right side that are worked on together.
inline constexpr std::int64_t kRightColumns = 16;

// The lower triangle of a symmetric [n, n] becomes the one whose product with its transpose it was; what is above the
// diagonal stays. The first column whose pivot is not positive, if there is one.
template <BlasElement T>
std::optional<std::int64_t> cholesky(Rows<T> a, std::int64_t n);

// Both triangles of an elimination that exchanges rows: the lower one has ones on its diagonal, which are not stored.
// exchanged[j] is the row that was exchanged with row j before column j went. The first column without a pivot, if
// there is one; the elimination ends there.
template <BlasElement T>
std::optional<std::int64_t> eliminate(Rows<T> a, std::int64_t n, std::vector<std::int64_t>& exchanged);

// Solves with a triangle in place; x has `columns` columns.
enum class Diagonal : std::uint8_t { ones, stored };
template <BlasElement T>
void solve_lower(Rows<const T> l, std::int64_t n, Diagonal diagonal, Rows<T> x, std::int64_t columns);
template <BlasElement T>
void solve_upper(Rows<const T> u, std::int64_t n, Rows<T> x, std::int64_t columns);

}  // namespace tessera::runtime
