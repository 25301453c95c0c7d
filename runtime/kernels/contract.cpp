#include "runtime/kernels/contract.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/kernels/arithmetic.hpp"
#include "runtime/kernels/blas_product.hpp"
#include "runtime/kernels/contract_indices.hpp"
#include "runtime/kernels/matmul.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

ContractIndices::ContractIndices(const synth::Contract& how, std::span<const TileView> operands,
                                 const synth::Shape& result)
    : strides_(operands.size()), carried_(operands.size()), result_(how.result_indices) {
  TESSERA_CHECK(how.operand_indices.size() == operands.size() && !operands.empty(), "a contraction lacks operands");
  TESSERA_CHECK(result_.size() == result.size(), "a contraction's result has another rank");
  std::array<bool, 256> known{};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto& indices = how.operand_indices[k];
    TESSERA_CHECK(indices.size() == operands[k].shape.size(), "a contraction's operand has another rank");
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const std::uint8_t index = indices[d];
      const std::int64_t extent = operands[k].shape[d];
      TESSERA_CHECK(!known[index] || extents_[index] == extent, "a contraction's operands disagree on an extent");
      known[index] = true;
      extents_[index] = extent;
      strides_[k][index] += operands[k].strides[d];
      carried_[k][index] = true;
    }
  }
  for (std::size_t index = 0; index < known.size(); ++index) {
    const auto number = static_cast<std::uint8_t>(index);
    const bool kept = std::find(result_.begin(), result_.end(), number) != result_.end();
    TESSERA_CHECK(!kept || known[index], "an index of a contraction's result is in no operand");
    if (known[index] && !kept) summed_.push_back(number);
  }
}

std::int64_t ContractIndices::count(const IndexList& indices) const {
  std::int64_t product = 1;
  for (const std::uint8_t index : indices) {
    if (extents_[index] == 0) return 0;
    product *= extents_[index];
  }
  return product;
}

std::vector<std::int64_t> ContractIndices::offsets(std::size_t operand, const IndexList& indices) const {
  std::vector<std::int64_t> steps;
  for (const std::uint8_t index : indices) steps.push_back(strides_[operand][index]);
  return offsets(indices, steps);
}

std::vector<std::int64_t> ContractIndices::offsets(const IndexList& indices,
                                                   std::span<const std::int64_t> steps) const {
  std::vector<std::int64_t> all = {0};
  for (std::size_t d = 0; d < indices.size(); ++d) {
    std::vector<std::int64_t> longer;
    longer.reserve(all.size() * static_cast<std::size_t>(extents_[indices[d]]));
    for (const std::int64_t start : all) {
      for (std::int64_t i = 0; i < extents_[indices[d]]; ++i) longer.push_back(start + i * steps[d]);
    }
    all = std::move(longer);
  }
  return all;
}

namespace {

// Any number of operands, element by element. Holds the state of one thread's walk.
template <class T>
class GeneralSum {
 public:
  static constexpr std::int64_t kAtOnce = 8;

  GeneralSum(const ContractIndices& indices, std::span<const TileView> operands)
      : indices_(indices), at_(operands.size()), term_at_(operands.size()) {
    for (const TileView& operand : operands) data_.push_back(typed<T>(operand));
    terms_ = indices.count(indices.summed());
    inner_ = indices.summed().empty() ? 1 : indices.extent(indices.summed().back());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      steps_.push_back(indices.summed().empty() ? 0 : indices.stride(k, indices.summed().back()));
    }
  }

  // out[position] for all positions in [begin, end).
  void elements(std::int64_t begin, std::int64_t end, T* out) {
    for (; data_.size() == 2 && begin + kAtOnce <= end; begin += kAtOnce) several(begin, out + begin);
    for (; begin < end; ++begin) out[begin] = element(begin);
  }

 private:
  T element(std::int64_t position) {
    std::fill(at_.begin(), at_.end(), 0);
    advance(at_, indices_.result(), position);
    T sum = Combine<synth::ReduceKind::sum, T>::identity();
    for (std::int64_t term = 0; term < terms_; term += inner_) {
      term_at_ = at_;
      advance(term_at_, indices_.summed(), term);
      sum = add_inner(sum);
    }
    return sum;
  }
  // For two operands: an addition waits for the one before it in its sum, but not for those of other sums.
  void several(std::int64_t position, T* out) {
    std::array<const T*, kAtOnce> left;
    std::array<const T*, kAtOnce> right;
    std::array<T, kAtOnce> sums;
    sums.fill(Combine<synth::ReduceKind::sum, T>::identity());
    for (std::size_t r = 0; r < sums.size(); ++r) {
      std::fill(at_.begin(), at_.end(), 0);
      advance(at_, indices_.result(), position + static_cast<std::int64_t>(r));
      left[r] = data_[0] + at_[0];
      right[r] = data_[1] + at_[1];
    }
    for (std::int64_t term = 0; term < terms_; term += inner_) {
      std::fill(at_.begin(), at_.end(), 0);
      advance(at_, indices_.summed(), term);
      for (std::int64_t i = 0; i < inner_; ++i) {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < sums.size(); ++r)
          sums[r] = plus(sums[r], times(left[r][at_[0] + i * steps_[0]], right[r][at_[1] + i * steps_[1]]));
      }
    }
    std::copy(sums.begin(), sums.end(), out);
  }
  void advance(std::vector<std::int64_t>& at, const IndexList& indices, std::int64_t position) const {
    for (std::size_t d = indices.size(); d-- > 0;) {
      const std::int64_t extent = indices_.extent(indices[d]);
      for (std::size_t k = 0; k < at.size(); ++k) at[k] += position % extent * indices_.stride(k, indices[d]);
      position /= extent;
    }
  }
  // The terms along the last summed index.
  T add_inner(T sum) {
    for (std::int64_t i = 0; i < inner_; ++i) {
      T value = data_[0][term_at_[0] + i * steps_[0]];
      for (std::size_t k = 1; k < data_.size(); ++k) value = times(value, data_[k][term_at_[k] + i * steps_[k]]);
      sum = plus(sum, value);
    }
    return sum;
  }

  const ContractIndices& indices_;
  std::vector<const T*> data_;
  std::vector<std::int64_t> steps_;
  std::int64_t terms_ = 0;
  std::int64_t inner_ = 1;
  std::vector<std::int64_t> at_;
  std::vector<std::int64_t> term_at_;
};

// Two operands whose summed indices are in both are a matrix product: batch, rows, columns, and what is summed. Very
// small products are quicker done element by element; the bits are the same.
bool is_product(const ContractIndices& indices, ProductShape& shape) {
  if (indices.operands() != 2) return false;
  for (const std::uint8_t index : indices.summed()) {
    if (!indices.carries(0, index) || !indices.carries(1, index)) return false;
  }
  for (const std::uint8_t index : indices.result()) {
    const bool left = indices.carries(0, index);
    const bool right = indices.carries(1, index);
    (left && right ? shape.batch : left ? shape.rows : shape.columns).push_back(index);
  }
  return indices.count(shape.rows) * indices.count(shape.columns) >= 16;
}

template <class T>
void contract_as_product(const ContractIndices& indices, const ProductShape& shape, std::span<const TileView> operands,
                         const TileOut& out) {
  const auto in_result = [&](const IndexList& list) {
    return indices.offsets(list, result_strides(indices, list, out.shape));
  };
  Product<T> product;
  product.left_rows = indices.offsets(0, shape.rows);
  product.left_summed = indices.offsets(0, indices.summed());
  product.right_summed = indices.offsets(1, indices.summed());
  product.right_columns = indices.offsets(1, shape.columns);
  product.out_rows = in_result(shape.rows);
  product.out_columns = in_result(shape.columns);
  const auto left_batch = indices.offsets(0, shape.batch);
  const auto right_batch = indices.offsets(1, shape.batch);
  const auto out_batch = in_result(shape.batch);
  const auto blocks = product.blocks();
  const auto items = static_cast<std::int64_t>(out_batch.size()) * blocks;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, product.block_work()));
  parallel_ranges(items, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const auto batch = static_cast<std::size_t>(item / blocks);
      multiply_block(product, item % blocks, typed<T>(operands[0]) + left_batch[batch],
                     typed<T>(operands[1]) + right_batch[batch], typed<T>(out) + out_batch[batch]);
    }
  });
}

}  // namespace

void contract(const synth::Contract& how, std::span<const TileView> operands, const TileOut& out) {
  const ContractIndices indices(how, operands, out.shape);
  const std::int64_t results = count(out.shape);
  if (results == 0) return;
  ProductShape shape;
  const bool as_product = is_product(indices, shape);
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (BlasElement<T>) {
      if (as_product && is_worth_blas(indices, shape)) return contract_with_blas<T>(indices, shape, operands, out);
    }
    if (as_product) return contract_as_product<T>(indices, shape, operands, out);
    const std::int64_t terms = std::max<std::int64_t>(1, indices.count(indices.summed()));
    const std::int64_t grain = std::max(GeneralSum<T>::kAtOnce, kGrain / terms);
    parallel_ranges(results, grain, [&](std::int64_t begin, std::int64_t end) {
      GeneralSum<T>(indices, operands).elements(begin, end, typed<T>(out));
    });
  });
}

}  // namespace tessera::runtime
