// Einstein sums that are matrix products, by BLAS.
#pragma once

#include <span>
#include <vector>

#include "runtime/kernels/blas.hpp"
#include "runtime/kernels/contract_indices.hpp"

namespace tessera::runtime {

// The indices of a product of two operands: in both and the result, in one of them and the result; the others are
// summed.
struct ProductShape {
  IndexList batch, rows, columns;
};

// The steps that a dense result takes along some of its indices.
std::vector<std::int64_t> result_strides(const ContractIndices& indices, const IndexList& list,
                                         const synth::Shape& result);

// Is the product large enough for BLAS to be quicker than our own loops?
bool is_worth_blas(const ContractIndices& indices, const ProductShape& shape);

// All of `out`; of float or double. `same`: the operands are one array.
template <BlasElement T>
void contract_with_blas(const ContractIndices& indices, const ProductShape& shape, std::span<const TileView> operands,
                        bool same, const TileOut& out);

}  // namespace tessera::runtime
