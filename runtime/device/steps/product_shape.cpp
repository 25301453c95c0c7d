#include "runtime/device/steps/product_shape.hpp"

namespace tessera::device {

std::optional<ProductShape> product_shape(const ContractIndices& indices, bool of_floats) {
  if (indices.operands() != 2) return std::nullopt;
  for (const std::uint8_t index : indices.summed()) {
    if (!indices.carries(0, index) || !indices.carries(1, index)) return std::nullopt;
  }
  ProductShape shape;
  for (const std::uint8_t index : indices.result()) {
    const bool left = indices.carries(0, index);
    const bool right = indices.carries(1, index);
    (left && right ? shape.batch : left ? shape.rows : shape.columns).push_back(index);
  }
  const std::int64_t rows = indices.count(shape.rows);
  const std::int64_t columns = indices.count(shape.columns);
  if (rows * columns < 16 || (of_floats && (rows == 1 || columns == 1))) return std::nullopt;
  return shape;
}

synth::Shape steps_of(const ContractIndices& indices, std::size_t operand, const IndexList& list) {
  synth::Shape steps;
  for (const std::uint8_t index : list) steps.push_back(indices.stride(operand, index));
  return steps;
}

synth::Shape extents_of(const ContractIndices& indices, const IndexList& list) {
  synth::Shape extents;
  for (const std::uint8_t index : list) extents.push_back(indices.extent(index));
  return extents;
}

synth::Shape result_steps(const ContractIndices& indices, const IndexList& list, const synth::Shape& result) {
  synth::Shape steps;
  for (const std::int64_t step : runtime::result_strides(indices, list, result)) steps.push_back(step);
  return steps;
}

}  // namespace tessera::device
