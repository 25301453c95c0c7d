// What an Einstein sum of two operands is as a product of matrices.
#pragma once

#include <optional>

#include "runtime/kernels/blas_product.hpp"
#include "runtime/kernels/contract_indices.hpp"

namespace tessera::device {

using runtime::ContractIndices;
using runtime::IndexList;
using runtime::ProductShape;

// Batch, rows, columns, where all summed indices are in both operands and a batch has at least 16 results; nothing
// where the terms are reduced instead. `of_floats`: those of a matrix and a vector are reduced, too.
std::optional<ProductShape> product_shape(const ContractIndices& indices, bool of_floats);

// The steps of an operand along a list of indices, and their extents.
synth::Shape steps_of(const ContractIndices& indices, std::size_t operand, const IndexList& list);
synth::Shape extents_of(const ContractIndices& indices, const IndexList& list);
synth::Shape result_steps(const ContractIndices& indices, const IndexList& list, const synth::Shape& result);

}  // namespace tessera::device
