#include "runtime/kernels/tile.hpp"

#include <algorithm>
#include <ranges>

#include "base/check.hpp"

namespace tessera::runtime {

bool is_empty(const synth::Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 0; });
}

std::int64_t count(const synth::Shape& shape) {
  if (is_empty(shape)) return 0;
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

synth::Shape dense_strides(const synth::Shape& shape) {
  synth::Shape strides(shape.size(), 1);
  if (is_empty(shape)) return strides;
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

bool is_dense(const synth::Shape& shape, const synth::Shape& strides) {
  if (is_empty(shape)) return true;
  std::int64_t wanted = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] > 1 && strides[d] != wanted) return false;
    wanted *= shape[d];
  }
  return true;
}

bool differ_in_ones(const synth::Shape& a, const synth::Shape& b) {
  const auto others = [](const synth::Shape& shape) {
    return shape | std::views::filter([](std::int64_t extent) { return extent != 1; });
  };
  return std::ranges::equal(others(a), others(b));
}

TileView dense_view(synth::ElementType element, const synth::Shape& shape, const std::byte* data) {
  return TileView{element, shape, dense_strides(shape), data};
}

TileView dense_view(const TileOut& tile) { return dense_view(tile.element, tile.shape, tile.data); }

TileView part_of(const TileView& view, const synth::Shape& begin, const synth::Shape& shape) {
  TileView part = view;
  part.shape = shape;
  if (is_empty(shape)) return part;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < begin.size(); ++d) offset += begin[d] * view.strides[d];
  part.data += offset * synth::bytes_of(view.element);
  return part;
}

synth::Shape broadcast_strides(const TileView& operand, const synth::Shape& shape) {
  TESSERA_CHECK(operand.shape.size() <= shape.size(), "an operand has more dimensions than what it is broadcast to");
  const std::size_t missing = shape.size() - operand.shape.size();
  synth::Shape strides(shape.size(), 0);
  for (std::size_t d = missing; d < shape.size(); ++d) {
    const std::int64_t extent = operand.shape[d - missing];
    TESSERA_CHECK(extent == shape[d] || extent == 1, "an operand's extent does not broadcast");
    if (extent == shape[d]) strides[d] = operand.strides[d - missing];
  }
  return strides;
}

}  // namespace tessera::runtime
