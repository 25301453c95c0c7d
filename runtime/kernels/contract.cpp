#include "runtime/kernels/contract.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/blas_product.hpp"
#include "runtime/kernels/complex_parts.hpp"
#include "runtime/kernels/contract_indices.hpp"
#include "runtime/kernels/map.hpp"
#include "runtime/kernels/matmul.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/scaled_rows.hpp"
#include "runtime/kernels/term_sums.hpp"

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

std::int64_t ContractIndices::place(std::size_t operand, const IndexList& indices, std::int64_t position) const {
  std::int64_t at = 0;
  for (std::size_t d = indices.size(); d-- > 0 && position > 0;) {
    const std::int64_t extent = extents_[indices[d]];
    at += position % extent * strides_[operand][indices[d]];
    position /= extent;
  }
  return at;
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

// Groups of results whose terms are walked together, and what makes their values of a stretch of the terms.
template <class T, class Reduced>
void sum_in_groups(std::int64_t results, std::int64_t at_once, std::int64_t terms, T* out, const Reduced& reduced) {
  using How = Combine<synth::ReduceKind::sum, T>;
  const std::int64_t groups = (results + at_once - 1) / at_once;
  const auto width = [&](std::int64_t group) { return std::min(at_once, results - group * at_once); };
  if (terms <= kReduceStretch) {
    const std::int64_t work = at_once * std::max<std::int64_t>(1, terms);
    parallel_ranges(groups, std::max<std::int64_t>(1, kGrain / work), [&](std::int64_t begin, std::int64_t end) {
      reduced(begin, end, 0, terms,
              [&](std::int64_t group, const T* values) { std::copy_n(values, width(group), out + group * at_once); });
    });
    return;
  }
  reduce_in_stretches<T>(
      {groups, (terms + kReduceStretch - 1) / kReduceStretch, at_once}, How::identity(), How::combine,
      [&](std::int64_t group, std::int64_t stretch, T* to) {
        const std::int64_t begin = stretch * kReduceStretch;
        reduced(group, group + 1, begin, std::min(terms, begin + kReduceStretch),
                [&](std::int64_t, const T* values) { std::copy_n(values, at_once, to); });
      },
      [&](std::int64_t group, const T* joined) { std::copy_n(joined, width(group), out + group * at_once); });
}

// The class makes the sums of several results at once.
template <class Terms, class T>
void sum_several(const ContractIndices& indices, std::span<const TileView> views, std::int64_t results,
                 std::int64_t terms, T* out) {
  sum_in_groups(results, Terms::kAtOnce, terms, out,
                [&](std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t end, const auto& give) {
                  Terms sums(indices, views, results);
                  for (std::int64_t g = first; g < last; ++g)
                    give(g, sums.reduced(g * Terms::kAtOnce, begin, end).data());
                });
}

// Do the terms of one result lie side by side in all operands? (Whole numbers are no quicker multiplied in rows.)
template <class T>
bool are_in_rows(const ContractIndices& indices, std::int64_t terms) {
  constexpr std::int64_t kFewest = 32;
  if (!Float<T> || terms < kFewest) return false;
  const std::uint8_t last = indices.summed().back();
  if (indices.extent(last) < kFewest) return false;
  for (std::size_t k = 0; k < indices.operands(); ++k) {
    if (indices.stride(k, last) != 1 && indices.stride(k, last) != 0) return false;
  }
  return true;
}

// Any number of operands, element by element. The bits are the same whichever way the terms are walked.
template <class T>
void sum_terms(const ContractIndices& indices, std::span<const TileView> operands, const synth::Shape& result, T* out) {
  if constexpr (Float<T>) {
    if (const auto rows = ScaledRows<T>::of(indices, operands, result)) return rows->run(out);
  }
  const std::int64_t results = count(result);
  const std::int64_t terms = indices.count(indices.summed());
  const bool few = results < TermsAcross<T, 1>::kAtOnce && terms > kReduceBlock;
  const bool in_rows = are_in_rows<T>(indices, terms);
  if constexpr (Float<T>) {
    if (in_rows && TermsInFewRows<T>::fits(indices))
      return sum_several<TermsInFewRows<T>>(indices, operands, results, terms, out);
  }
  if (operands.size() <= 2 && !few && !in_rows)
    return operands.size() == 1 ? sum_several<TermsAcross<T, 1>>(indices, operands, results, terms, out)
                                : sum_several<TermsAcross<T, 2>>(indices, operands, results, terms, out);
  sum_in_groups(results, 1, terms, out,
                [&](std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t end, const auto& give) {
                  TermsInRow<T> sums(indices, operands);
                  for (std::int64_t o = first; o < last; ++o) {
                    const T value = sums.reduced(o, begin, end);
                    give(o, &value);
                  }
                });
}

// Two operands whose summed indices are in both are a matrix product: batch, rows, columns, and what is summed.
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
bool is_with_vector(const ContractIndices& indices, const ProductShape& shape) {
  return indices.count(shape.rows) == 1 || indices.count(shape.columns) == 1;
}

template <class T>
void contract_as_product(const ContractIndices& indices, const ProductShape& shape, std::span<const TileView> operands,
                         const TileOut& out) {
  const auto in_result = [&](const IndexList& list) {
    return indices.offsets(list, result_strides(indices, list, out.shape));
  };
  Product<T> product;
  product.left_rows = indices.offsets(0, shape.rows);
  product.left_terms = term_nest(indices, 0);
  product.right_terms = term_nest(indices, 1);
  product.find_first_places();
  product.right_columns = indices.offsets(1, shape.columns);
  product.out_rows = in_result(shape.rows);
  product.out_columns = in_result(shape.columns);
  const auto left_batch = indices.offsets(0, shape.batch);
  const auto right_batch = indices.offsets(1, shape.batch);
  const auto out_batch = in_result(shape.batch);
  const auto blocks = product.blocks();
  const auto items = static_cast<std::int64_t>(out_batch.size()) * blocks;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, product.block_work()));
  // Whole numbers are the same in any order, and few terms are one block.
  const bool in_blocks = Float<T> && product.terms() > kReduceBlock;
  const auto multiply = in_blocks ? multiply_block<Terms::in_blocks, T> : multiply_block<Terms::in_one_sum, T>;
  parallel_ranges(items, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const auto batch = static_cast<std::size_t>(item / blocks);
      multiply(product, item % blocks, typed<T>(operands[0]) + left_batch[batch],
               typed<T>(operands[1]) + right_batch[batch], typed<T>(out) + out_batch[batch]);
    }
  });
}

}  // namespace

namespace {

// re = a.re b.re - a.im b.im, im = a.re b.im + a.im b.re, each of the four a sum of its own; of one operand its parts'
// sums.
void contract_complex(const synth::Contract& how, std::span<const TileView> operands, const TileOut& out,
                      LargeProducts large) {
  const PartsBuffer re(out.element, out.shape);
  const PartsBuffer im(out.element, out.shape);
  const auto of_parts = [&](std::initializer_list<Part> parts, const TileOut& to) {
    std::vector<TileView> views;
    for (const Part part : parts) views.push_back(part_view(operands[views.size()], part));
    contract(how, views, to, large);
  };
  if (operands.size() == 1) {
    of_parts({Part::real}, re.tile());
    of_parts({Part::imaginary}, im.tile());
    return join_parts(re.tile(), im.tile(), out);
  }
  TESSERA_CHECK(operands.size() == 2, "complex numbers are multiplied two at a time");
  const PartsBuffer more(out.element, out.shape);
  const auto join = [&](synth::MapOp op, const TileOut& to) {
    const std::array<TileView, 2> both = {dense_view(to), dense_view(more.tile())};
    map(op, both, to);
  };
  of_parts({Part::real, Part::real}, re.tile());
  of_parts({Part::imaginary, Part::imaginary}, more.tile());
  join(synth::MapOp::subtract, re.tile());
  of_parts({Part::real, Part::imaginary}, im.tile());
  of_parts({Part::imaginary, Part::real}, more.tile());
  join(synth::MapOp::add, im.tile());
  join_parts(re.tile(), im.tile(), out);
}

}  // namespace

void contract(const synth::Contract& how, std::span<const TileView> operands, const TileOut& out, LargeProducts large,
              Operands given) {
  if (synth::is_complex(out.element)) {
    if (!is_empty(out.shape)) contract_complex(how, operands, out, large);
    return;
  }
  const ContractIndices indices(how, operands, out.shape);
  if (is_empty(out.shape)) return;
  ProductShape shape;
  const bool as_product = is_product(indices, shape);
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if (!as_product || (Float<T> && is_with_vector(indices, shape)))
      return sum_terms<T>(indices, operands, out.shape, typed<T>(out));
    if constexpr (BlasElement<T>) {
      if (large == LargeProducts::by_blas && is_worth_blas(indices, shape))
        return contract_with_blas<T>(indices, shape, operands, given == Operands::are_the_same, out);
    }
    contract_as_product<T>(indices, shape, operands, out);
  });
}

}  // namespace tessera::runtime
