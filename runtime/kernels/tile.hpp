// Tiles as kernels see them: plain memory with a shape. Operands may be strided views; results are dense and row-major.
#pragma once

#include <cstddef>
#include <cstdint>

#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

// Strides count elements. A stride of 0 repeats.
struct TileView {
  synth::ElementType element = synth::ElementType::f32;
  synth::Shape shape;
  synth::Shape strides;
  const std::byte* data = nullptr;
};

struct TileOut {
  synth::ElementType element = synth::ElementType::f32;
  synth::Shape shape;
  std::byte* data = nullptr;
};

// Has some dimension no element? (Asks no product, which could overflow.)
bool is_empty(const synth::Shape& shape);
// The number of elements of a tile.
std::int64_t count(const synth::Shape& shape);
// Strides of a dense row-major array.
synth::Shape dense_strides(const synth::Shape& shape);
// Are these strides those of a dense row-major array? Dimensions of extent 1 do not count; an empty tile is dense.
bool is_dense(const synth::Shape& shape, const synth::Shape& strides);

// Are the shapes the same but for dimensions of one element?
bool differ_in_ones(const synth::Shape& a, const synth::Shape& b);

TileView dense_view(synth::ElementType element, const synth::Shape& shape, const std::byte* data);
TileView dense_view(const TileOut& tile);

// The part of a view that starts at `begin` (per dimension) and has the given shape.
TileView part_of(const TileView& view, const synth::Shape& begin, const synth::Shape& shape);

// Strides of an operand whose shape is broadcast to `shape` as NumPy does: aligned at the last dimension, a dimension
// that is missing or of extent 1 repeats.
synth::Shape broadcast_strides(const TileView& operand, const synth::Shape& shape);

template <class T>
const T* typed(const TileView& view) {
  return reinterpret_cast<const T*>(view.data);
}
template <class T>
T* typed(const TileOut& tile) {
  return reinterpret_cast<T*>(tile.data);
}

}  // namespace tessera::runtime
