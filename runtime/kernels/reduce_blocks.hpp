// Elements side by side reduced in the widest vectors that the processor has. All widths give the same bits: floats, in
// whole blocks, several at once, are always eight lanes that meet in pairs; integers and bool give the same in any
// order.
#pragma once

#include <cstdint>

#include "runtime/kernels/vector_targets.hpp"
#include "synth/program/operation.hpp"

namespace tessera::runtime {

// A block is reduced in so many lanes: lane k has the elements at k, k + 8, ...
inline constexpr std::int64_t kReduceBlock = 128;
inline constexpr std::int64_t kReduceLanes = 8;

// out[b] becomes what the elements [128 b, 128 (b + 1)) of x give.
template <class T>
using BlocksFunction = void (*)(T* out, std::int64_t blocks, const T* x);

// T is float or double.
template <class T>
BlocksFunction<T> blocks_function(synth::ReduceKind kind, VectorTarget target);

// For the widest target of this machine.
template <class T>
BlocksFunction<T> blocks_function(synth::ReduceKind kind);

// out[b] becomes the sum of x[i] * y[i] of the elements of block b.
template <class T>
using ProductsFunction = void (*)(T* out, std::int64_t blocks, const T* x, const T* y);
template <class T>
ProductsFunction<T> products_function(VectorTarget target);
template <class T>
ProductsFunction<T> products_function();

// out[kProductRows * b + r] becomes the sum of rows[r][i] * y[i] of the elements of block b.
inline constexpr std::int64_t kProductRows = 4;
template <class T>
using RowProductsFunction = void (*)(T* out, std::int64_t blocks, const T* const* rows, const T* y);
template <class T>
RowProductsFunction<T> row_products_function(VectorTarget target);

// *out becomes what n > 0 elements give.
template <class T>
using ExactReduction = void (*)(const T* x, std::int64_t n, T* out);

// T is bool, int32_t or int64_t.
template <class T>
ExactReduction<T> exact_reduction(synth::ReduceKind kind);

}  // namespace tessera::runtime
