// Einstein sums of any operands, element by element. The terms of an element are reduced as reduce() does it, in
// ascending order of the summed indices, the last fastest: blocks of 128 in eight lanes, joined in pairs.
//
// Example: ten terms are one block. The first eight are a lane each: ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7));
// t8 and t9 are added behind them, one after the other. The f32 terms 1, 1e8, -1e8, 1, 0, 0, 0, 0, 2, 3 give 5.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernels/contract_indices.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/pairwise.hpp"
#include "runtime/kernels/term_places.hpp"
#include "runtime/kernels/vector_targets.hpp"

namespace tessera::runtime {

struct ProductsInRow {
  template <class T>
  TESSERA_INLINE static void run(const T* a, const T* b, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = times(a[i], b[i]);
  }
};

// The terms of one element of the result after the other: they are written side by side, and reduced.
template <class T>
class TermsInRow {
 public:
  TermsInRow(const ContractIndices& indices, std::span<const TileView> operands) : indices_(indices) {
    bool are_dense = operands.size() == 2;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      operands_.push_back({typed<T>(operands[k]), term_nest(indices, k)});
      are_dense = are_dense && operands_[k].nest.rank == 1 && operands_[k].nest.inner_strides()[0] == 1;
    }
    first_.resize(operands_.size());
    if (!are_dense) return;
    multiply_ = for_target<ProductsInRow>::with<const T*, const T*, T*, std::int64_t>::of(widest_target());
    if constexpr (Float<T>) blocks_ = products_function<T>();
  }

  // What the terms [begin, end) of the element give, with this row-major number in the result.
  T reduced(std::int64_t number, std::int64_t begin, std::int64_t end) {
    if (begin == end) return How::identity();
    for (std::size_t k = 0; k < operands_.size(); ++k)
      first_[k] = operands_[k].data + indices_.place(k, indices_.result(), number);
    std::array<T, kAtOnce> terms;
    PairwiseJoin<T> cascade;
    for (std::int64_t at = begin; at < end && !(at % kGrain == 0 && is_given_up()); at += kAtOnce) {
      const std::int64_t n = std::min(kAtOnce, end - at);
      const std::int64_t in_blocks = blocks_ == nullptr ? 0 : push_products(at, n, cascade);
      if (in_blocks == n) continue;
      if (multiply_ != nullptr)
        multiply_(first_[0] + at + in_blocks, first_[1] + at + in_blocks, terms.data(), n - in_blocks);
      for (std::size_t k = 0; multiply_ == nullptr && k < operands_.size(); ++k)
        take(operands_[k].nest, first_[k], at, n, k == 0, terms.data());
      if (at == begin && at + n == end && n <= kReduceBlock) return reduce_block<How>(terms.data(), n);
      push_blocks<How>(cascade, terms.data(), n - in_blocks);
    }
    return cascade.join(How::identity(), How::combine);
  }

 private:
  using How = Combine<synth::ReduceKind::sum, T>;
  static constexpr std::int64_t kBlocksAtOnce = 16;
  static constexpr std::int64_t kAtOnce = kBlocksAtOnce * kReduceBlock;
  struct Operand {
    const T* data;
    Nest<1> nest;
  };

  // The whole blocks of the n terms from `at` on; how many terms these were. A lone block is left to reduce_block.
  std::int64_t push_products(std::int64_t at, std::int64_t n, PairwiseJoin<T>& cascade) const {
    const std::int64_t blocks = n / kReduceBlock;
    std::array<T, kBlocksAtOnce> sums;
    blocks_(sums.data(), blocks, first_[0] + at, first_[1] + at);
    for (std::int64_t b = 0; b < blocks; ++b) cascade.push(sums[static_cast<std::size_t>(b)], How::combine);
    return blocks * kReduceBlock;
  }

  // terms[i] becomes, or is multiplied by, the operand's element for term at + i.
  static void take(const Nest<1>& nest, const T* first, std::int64_t at, std::int64_t n, bool is_first, T* terms) {
    const std::int64_t step = nest.inner_strides()[0];
    for_runs(nest, at, at + n, [&](std::int64_t position, const Offsets<1>& offset, std::int64_t length) {
      T* const to = terms + (position - at);
      const T* const from = first + offset[0];
      if (is_first && step == 1)
        std::copy_n(from, length, to);
      else if (is_first)
        for (std::int64_t i = 0; i < length; ++i) to[i] = from[i * step];
      else if (step == 1)
        for (std::int64_t i = 0; i < length; ++i) to[i] = times(to[i], from[i]);
      else
        for (std::int64_t i = 0; i < length; ++i) to[i] = times(to[i], from[i * step]);
    });
  }

  const ContractIndices& indices_;
  std::vector<Operand> operands_;
  std::vector<const T*> first_;  // of the operands, for the element that is being reduced
  // Of two whose terms lie side by side.
  void (*multiply_)(const T* a, const T* b, T* out, std::int64_t n) = nullptr;
  void (*blocks_)(T* out, std::int64_t blocks, const T* a, const T* b) = nullptr;
};

// A matrix whose rows lie side by side times a vector: the terms of a few results at once, each as TermsInRow adds
// them.
template <Float T>
class TermsInFewRows {
 public:
  static constexpr std::int64_t kAtOnce = kProductRows;
  using Sums = std::array<T, kProductRows>;

  // Do the operands lie so, and is there a group of results that share the vector's elements?
  static bool fits(const ContractIndices& indices) {
    if (indices.operands() != 2 || indices.result().empty()) return false;
    const std::uint8_t last = indices.result().back();
    const bool has_vector = indices.stride(0, last) == 0 || indices.stride(1, last) == 0;
    return has_vector && indices.extent(last) >= kAtOnce && is_dense(indices, 0) && is_dense(indices, 1);
  }

  TermsInFewRows(const ContractIndices& indices, std::span<const TileView> operands, std::int64_t results)
      : indices_(indices),
        alone_(indices, operands),
        results_(results),
        vector_(indices.stride(0, indices.result().back()) == 0 ? 0 : 1),
        first_{typed<T>(operands[0]), typed<T>(operands[1])} {}

  // What the terms [begin, end) of the elements from `number` on give; beyond the result the last one is computed
  // again.
  Sums reduced(std::int64_t number, std::int64_t begin, std::int64_t end) {
    std::array<std::int64_t, kProductRows> numbers;
    std::array<const T*, kProductRows> rows;
    std::array<const T*, kProductRows> factors;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      numbers[r] = std::min(number + static_cast<std::int64_t>(r), results_ - 1);
      rows[r] = first_[1 - vector_] + indices_.place(1 - vector_, indices_.result(), numbers[r]) + begin;
      factors[r] = first_[vector_] + indices_.place(vector_, indices_.result(), numbers[r]) + begin;
    }
    Sums sums;
    if (factors.front() == factors.back()) {
      reduce_rows(rows, factors[0], end - begin, sums);
    } else {
      for (std::size_t r = 0; r < sums.size(); ++r) sums[r] = alone_.reduced(numbers[r], begin, end);
    }
    return sums;
  }

 private:
  using How = Combine<synth::ReduceKind::sum, T>;
  static constexpr std::int64_t kBlocksAtOnce = 16;

  static bool is_dense(const ContractIndices& indices, std::size_t operand) {
    const Nest<1> nest = term_nest(indices, operand);
    return nest.rank == 1 && nest.inner_strides()[0] == 1;
  }

  void reduce_rows(std::array<const T*, kProductRows> rows, const T* vector, std::int64_t n, Sums& sums) const {
    std::array<PairwiseJoin<T>, kProductRows> joins;
    for (std::int64_t blocks = n / kReduceBlock; blocks > 0; blocks -= kBlocksAtOnce) {
      std::array<T, kBlocksAtOnce * kProductRows> some;
      const std::int64_t now = std::min(kBlocksAtOnce, blocks);
      blocks_(some.data(), now, rows.data(), vector);
      for (std::size_t k = 0; k < static_cast<std::size_t>(now * kProductRows); ++k)
        joins[k % kProductRows].push(some[k], How::combine);
      for (const T*& row : rows) row += now * kReduceBlock;
      vector += now * kReduceBlock;
    }
    for (std::size_t r = 0; r < sums.size(); ++r) {
      std::array<T, kReduceBlock> terms;
      const std::int64_t rest = n % kReduceBlock;
      multiply_(rows[r], vector, terms.data(), rest);
      if (rest > 0) joins[r].push(reduce_block<How>(terms.data(), rest), How::combine);
      sums[r] = joins[r].join(How::identity(), How::combine);
    }
  }

  const ContractIndices& indices_;
  TermsInRow<T> alone_;
  std::int64_t results_;
  std::size_t vector_;  // which operand it is
  std::array<const T*, 2> first_;
  RowProductsFunction<T> blocks_ = row_products_function<T>(widest_target());
  void (*multiply_)(const T* a, const T* b, T* out, std::int64_t n) =
      for_target<ProductsInRow>::with<const T*, const T*, T*, std::int64_t>::of(widest_target());
};

// Of one or two operands, whose elements for the terms of one result do not lie side by side: several results at once.
// An addition waits for the one before it in its sum, but not for those of other sums.
template <class T, std::size_t operands>
class TermsAcross {
 public:
  static constexpr std::int64_t kAtOnce = 8;
  using Sums = std::array<T, kAtOnce>;

  TermsAcross(const ContractIndices& indices, std::span<const TileView> views, std::int64_t results)
      : indices_(indices), results_(results) {
    for (std::size_t k = 0; k < operands; ++k) {
      data_[k] = typed<T>(views[k]);
      nests_[k] = term_nest(indices, k);
    }
  }

  // What the terms [begin, end) of the elements from `number` on give; beyond the result the last one is computed
  // again.
  Sums reduced(std::int64_t number, std::int64_t begin, std::int64_t end) {
    find_first(number);
    Sums sums;
    if (end - begin <= kReduceBlock) {
      sums.fill(How::identity());
      if (begin < end) block(begin, end - begin, sums);
      return sums;
    }
    std::array<PairwiseJoin<T>, kAtOnce> cascades;
    for (std::int64_t at = begin; at < end && !(at % kGrain == 0 && is_given_up()); at += kReduceBlock) {
      block(at, std::min(kReduceBlock, end - at), sums);
      for (std::size_t r = 0; r < kAtOnce; ++r) cascades[r].push(sums[r], How::combine);
    }
    for (std::size_t r = 0; r < kAtOnce; ++r) sums[r] = cascades[r].join(How::identity(), How::combine);
    return sums;
  }

 private:
  using How = Combine<synth::ReduceKind::sum, T>;

  // Where the operands' elements for the results from `number` on begin: neighbours along the last index are a step
  // apart.
  void find_first(std::int64_t number) {
    const IndexList& result = indices_.result();
    const std::int64_t extent = result.empty() ? 1 : indices_.extent(result.back());
    std::int64_t along = number % extent;
    for (std::size_t r = 0; r < kAtOnce; ++r, ++along, ++number) {
      const bool is_beyond = number >= results_;
      const bool is_next = r > 0 && along < extent;
      if (along == extent) along = 0;
      for (std::size_t k = 0; k < operands; ++k) {
        if (is_beyond)
          first_[k][r] = first_[k][r - 1];
        else if (is_next)
          first_[k][r] = first_[k][r - 1] + indices_.stride(k, result.back());
        else
          first_[k][r] = data_[k] + indices_.place(k, result, number);
      }
    }
  }

  T term(std::size_t r, std::size_t t) const {
    const T value = first_[0][r][at_[0][t]];
    if constexpr (operands == 1)
      return value;
    else
      return times(value, first_[1][r][at_[1][t]]);
  }
  // sums[r] becomes what the terms t, t + step, ... below `end` of result r give, one after the other.
  void add(std::size_t t, std::size_t step, std::size_t end, Sums& sums) const {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kAtOnce; ++r) sums[r] = term(r, t);
    add_to(t + step, step, end, sums);
  }
  void add_to(std::size_t t, std::size_t step, std::size_t end, Sums& to) const {
    Sums sums = to;
    for (; t < end; t += step) {
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kAtOnce; ++r) sums[r] = plus(sums[r], term(r, t));
    }
    to = sums;
  }
  void block(std::int64_t begin, std::int64_t length, Sums& sums) {
    for (std::size_t k = 0; (begin != begin_ || length != length_) && k < operands; ++k)
      find_places(nests_[k], begin, length, at_[k].data());
    begin_ = begin;
    length_ = length;
    const auto n = static_cast<std::size_t>(length);
    constexpr auto kLanes = static_cast<std::size_t>(kReduceLanes);
    const std::size_t whole = n / kLanes * kLanes;
    if (!Float<T> || whole == 0) return add(0, 1, n, sums);
    std::array<Sums, kLanes> lanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(lane, kLanes, whole, lanes[lane]);
    for (std::size_t width = 1; width < kLanes; width *= 2) {
      for (std::size_t lane = 0; lane < kLanes; lane += 2 * width) {
        for (std::size_t r = 0; r < kAtOnce; ++r) lanes[lane][r] = plus(lanes[lane][r], lanes[lane + width][r]);
      }
    }
    sums = lanes[0];
    add_to(whole, 1, n, sums);
  }
  const ContractIndices& indices_;
  std::int64_t results_;
  std::array<const T*, operands> data_;
  std::array<Nest<1>, operands> nests_;
  std::array<std::array<const T*, kAtOnce>, operands> first_;
  // For the terms of the last block.
  std::array<std::array<std::int64_t, kReduceBlock>, operands> at_;
  std::int64_t begin_ = -1;
  std::int64_t length_ = 0;
};

}  // namespace tessera::runtime
