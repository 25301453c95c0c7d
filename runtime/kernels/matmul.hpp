// Matrix products of tiles with any strides, in blocks cut by the shape alone. The terms of every element are summed
// one after the other in blocks of 128, and the blocks' sums likewise: what one term adds is not lost to the sum of
// thousands. So the blocks of the result do not change the bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/reduce_blocks.hpp"
#include "runtime/kernels/term_places.hpp"

namespace tessera::runtime {

// out[out_rows[i] + out_columns[j]] = sum over s of left[left_rows[i] + place s of left_terms] * right[place s of
// right_terms + right_columns[j]].
template <class T>
struct Product {
  static constexpr std::int64_t block_rows = 64;
  static constexpr std::int64_t block_columns = 256;
  static constexpr std::int64_t block_terms = 2 * kReduceBlock;
  // The piece of the result that stays in registers.
  static constexpr std::int64_t register_rows = 4;
  static constexpr std::int64_t register_columns = 32 / sizeof(T);

  std::vector<std::int64_t> left_rows, right_columns, out_rows, out_columns;
  Nest<1> left_terms, right_terms;
  // Of the first block of terms, which may be the only one of very many small products.
  std::vector<std::int64_t> left_first, right_first;

  void find_first_places() {
    const std::int64_t n = std::min(terms(), block_terms);
    left_first.resize(static_cast<std::size_t>(n));
    right_first.resize(static_cast<std::size_t>(n));
    find_places(left_terms, 0, n, left_first.data());
    find_places(right_terms, 0, n, right_first.data());
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(out_rows.size()); }
  std::int64_t columns() const { return static_cast<std::int64_t>(out_columns.size()); }
  std::int64_t terms() const { return left_terms.count; }
  std::int64_t column_blocks() const { return (columns() + block_columns - 1) / block_columns; }
  std::int64_t blocks() const { return (rows() + block_rows - 1) / block_rows * column_blocks(); }
  std::int64_t block_work() const {
    return std::min(rows(), block_rows) * std::min(columns(), block_columns) * std::min<std::int64_t>(terms(), 1 << 20);
  }
};

// One block's own memory: packed operands (in strips as wide as the registers) and the sums.
template <class T>
struct ProductBlock {
  using P = Product<T>;
  static constexpr std::int64_t pitch = P::block_columns;

  std::int64_t rows, columns;
  std::unique_ptr<T[]> left, right, sums;

  ProductBlock(std::int64_t row_count, std::int64_t column_count, std::int64_t terms)
      : rows(row_count), columns(column_count) {
    const auto padded_rows = static_cast<std::size_t>(up(rows, P::register_rows));
    const auto padded_columns = static_cast<std::size_t>(up(columns, P::register_columns));
    const auto depth = static_cast<std::size_t>(std::min(terms, P::block_terms));
    left = std::make_unique_for_overwrite<T[]>(padded_rows * depth);
    right = std::make_unique_for_overwrite<T[]>(padded_columns * depth);
    sums = std::make_unique_for_overwrite<T[]>(padded_rows * pitch);
    std::fill_n(sums.get(), padded_rows * pitch, Combine<synth::ReduceKind::sum, T>::identity());
  }
  static std::int64_t up(std::int64_t n, std::int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }
};

// packed[strip][s][lane] = from[lanes[strip * width + lane] + summed[s]]; lanes beyond the end are zero.
template <class T>
void pack(T* packed, const T* from, const std::int64_t* lanes, std::int64_t lane_count, std::int64_t width,
          const std::int64_t* summed, std::int64_t terms) {
  for (std::int64_t strip = 0; strip < lane_count; strip += width) {
    for (std::int64_t s = 0; s < terms; ++s) {
      for (std::int64_t lane = 0; lane < width; ++lane, ++packed) {
        *packed = strip + lane < lane_count ? from[lanes[strip + lane] + summed[s]] : T{};
      }
    }
  }
}

// sums[r][c] += left[s][r] * right[s][c] for every s in turn.
template <class T>
void multiply_strips(T* sums, std::int64_t pitch, const T* left, const T* right, std::int64_t terms) {
  constexpr auto rows = Product<T>::register_rows;
  constexpr auto columns = Product<T>::register_columns;
  T piece[rows][columns];
  for (std::int64_t r = 0; r < rows; ++r) std::copy_n(sums + r * pitch, columns, piece[r]);
  for (std::int64_t s = 0; s < terms; ++s, left += rows, right += columns) {
#pragma GCC unroll 4
    for (std::int64_t r = 0; r < rows; ++r) {
#pragma GCC unroll 32
      for (std::int64_t c = 0; c < columns; ++c) piece[r][c] = plus(piece[r][c], times(left[r], right[c]));
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) std::copy_n(piece[r], columns, sums + r * pitch);
}

// sums[r][c] += block[r][c] for what stays in registers; the block is cleared for the next one.
template <class T>
void join_block(T* sums, T* block, std::int64_t pitch) {
  constexpr auto columns = Product<T>::register_columns;
  for (std::int64_t r = 0; r < Product<T>::register_rows; ++r, sums += pitch, block += pitch) {
    for (std::int64_t c = 0; c < columns; ++c) sums[c] = plus(sums[c], block[c]);
    std::fill_n(block, columns, Combine<synth::ReduceKind::sum, T>::identity());
  }
}

// The terms of a product in one sum, or in blocks that are added up apart.
enum class Terms : std::uint8_t { in_one_sum, in_blocks };

template <Terms how, class T>
void multiply_block(const Product<T>& product, std::int64_t number, const T* left, const T* right, T* out) {
  using P = Product<T>;
  const std::int64_t row = number / product.column_blocks() * P::block_rows;
  const std::int64_t column = number % product.column_blocks() * P::block_columns;
  const ProductBlock<T> block(std::min(P::block_rows, product.rows() - row),
                              std::min(P::block_columns, product.columns() - column), product.terms());
  constexpr std::int64_t at_once = how == Terms::in_blocks ? kReduceBlock : P::block_terms;
  std::array<std::int64_t, at_once> places;
  std::array<T, how == Terms::in_blocks ? P::register_rows * block.pitch : 0> apart;  // of a block after the first
  apart.fill(Combine<synth::ReduceKind::sum, T>::identity());
  for (std::int64_t s = 0; s < product.terms() && !(s > 0 && is_given_up()); s += at_once) {
    const std::int64_t terms = std::min(at_once, product.terms() - s);
    const auto at = [&](const Nest<1>& nest, const std::vector<std::int64_t>& of_first) {
      if (s == 0) return of_first.data();
      find_places(nest, s, terms, places.data());
      return std::as_const(places).data();
    };
    pack(block.left.get(), left, &product.left_rows[row], block.rows, P::register_rows,
         at(product.left_terms, product.left_first), terms);
    pack(block.right.get(), right, &product.right_columns[column], block.columns, P::register_columns,
         at(product.right_terms, product.right_first), terms);
    const bool is_apart = how == Terms::in_blocks && s > 0;
    for (std::int64_t c = 0; c < block.columns; c += P::register_columns) {
      for (std::int64_t r = 0; r < block.rows; r += P::register_rows) {
        T* const sums = &block.sums[r * block.pitch + c];
        multiply_strips(is_apart ? apart.data() : sums, block.pitch, &block.left[r * terms], &block.right[c * terms],
                        terms);
        if (is_apart) join_block(sums, apart.data(), block.pitch);
      }
    }
  }
  for (std::int64_t r = 0; r < block.rows; ++r) {
    for (std::int64_t c = 0; c < block.columns; ++c) {
      out[product.out_rows[row + r] + product.out_columns[column + c]] = block.sums[r * block.pitch + c];
    }
  }
}

}  // namespace tessera::runtime
