// Large products of floats as a library takes them.
#include <algorithm>

#include "runtime/device/steps/product_shape.hpp"
#include "runtime/device/steps/products.hpp"
#include "runtime/device/steps/tile_table.hpp"

namespace tessera::device {

namespace {

// The one step between neighbours along all of the indices, the last fastest; nothing where there is none such. Indices
// of extent 1 do not count; without any other the step is 1.
std::optional<std::int64_t> joint_step(const synth::Shape& extents, const synth::Shape& steps) {
  std::int64_t step = 1;
  std::int64_t covered = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1) continue;
    if (covered == 1) step = steps[i];
    if (steps[i] != step * covered) return std::nullopt;
    covered *= extents[i];
  }
  return step;
}

struct GemmSteps {
  std::optional<std::int64_t> rows, columns, batch;
};

// Rows side by side, or columns.
std::optional<GemmMatrix> matrix_of(Address address, const GemmSteps& steps, std::int64_t rows, std::int64_t columns,
                                    std::int64_t batches) {
  if (!steps.rows || !steps.columns || !steps.batch) return std::nullopt;
  // A matrix of one row, or one column, may have any step there.
  const std::int64_t row_step = rows == 1 ? columns : *steps.rows;
  const std::int64_t column_step = columns == 1 ? 1 : *steps.columns;
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
  if (std::max(row_step, column_step) > kMost || *steps.batch < 0) return std::nullopt;
  const std::int64_t batch_step = batches == 1 ? 0 : *steps.batch;
  if (column_step == 1 && row_step >= columns) return GemmMatrix{address, row_step, batch_step, false};
  if (row_step == 1 && column_step >= rows) return GemmMatrix{address, column_step, batch_step, true};
  return std::nullopt;
}

}  // namespace

std::optional<Gemm> gemm_of(const synth::Contract& how, const ContractPart& part) {
  const ContractIndices indices(how, part.operands, part.out.shape);
  const auto found = synth::is_float(part.out.element) ? product_shape(indices, true) : std::nullopt;
  if (!found || runtime::is_empty(part.out.shape) || !runtime::is_worth_blas(indices, *found)) return std::nullopt;
  // If the rows of the result lie side by side, its transpose is computed instead.
  const bool turned = !found->rows.empty() && !found->columns.empty() &&
                      result_steps(indices, {found->rows.back()}, part.out.shape)[0] == 1;
  const std::size_t left = turned ? 1 : 0;
  const ProductShape shape = turned ? ProductShape{found->batch, found->columns, found->rows} : *found;
  const auto step = [&](std::size_t operand, const IndexList& list) {
    return joint_step(extents_of(indices, list), steps_of(indices, operand, list));
  };
  const auto out_step = [&](const IndexList& list) {
    return joint_step(extents_of(indices, list), result_steps(indices, list, part.out.shape));
  };
  Gemm gemm{part.out.element,
            indices.count(shape.rows),
            indices.count(shape.columns),
            indices.count(indices.summed()),
            indices.count(shape.batch),
            {},
            {},
            {}};
  const auto left_matrix = matrix_of(address_of(part.operands[left].data),
                                     {step(left, shape.rows), step(left, indices.summed()), step(left, shape.batch)},
                                     gemm.rows, gemm.terms, gemm.batches);
  const auto right_matrix =
      matrix_of(address_of(part.operands[1 - left].data),
                {step(1 - left, indices.summed()), step(1 - left, shape.columns), step(1 - left, shape.batch)},
                gemm.terms, gemm.columns, gemm.batches);
  const auto out_matrix =
      matrix_of(address_of(part.out.data), {out_step(shape.rows), out_step(shape.columns), out_step(shape.batch)},
                gemm.rows, gemm.columns, gemm.batches);
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
  const bool fits = std::max({gemm.rows, gemm.columns, gemm.terms, gemm.batches}) <= kMost;
  if (!left_matrix || !right_matrix || !out_matrix || out_matrix->is_transposed || !fits) return std::nullopt;
  gemm.left = *left_matrix;
  gemm.right = *right_matrix;
  gemm.out = *out_matrix;
  return gemm;
}

}  // namespace tessera::device
