// Array types: element type, extents, mesh and layout; and the tile maps they mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fixed_vector.hpp"
#include "base/result.hpp"
#include "synth/layout/cuts.hpp"
#include "synth/layout/element.hpp"
#include "synth/layout/layout.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/layout/shape.hpp"

namespace tessera::synth {

// One interval per dimension, in global coordinates. A box of rank 0 holds one element.
using Box = base::FixedVector<Interval, kRankMax>;

std::int64_t elements(const Box& box);
bool empty(const Box& box);
Box intersect(const Box& a, const Box& b);
bool contains(const Box& outer, const Box& inner);  // an empty inner box lies in every box
Shape shape_of(const Box& box);
Box whole(const Shape& shape);

class ArrayType {
 public:
  ArrayType() : mesh_(Mesh::single_device()) {}
  // Fails where the layout's rank is not the shape's, an extent is negative, the rank is above 16, or the array's bytes
  // do not fit 63 bits.
  static base::Result<ArrayType> make(ElementType element, Shape shape, MeshRef mesh, Layout layout);
  static base::Result<ArrayType> replicated(ElementType element, Shape shape, MeshRef mesh);
  static ArrayType scalar(ElementType element, MeshRef mesh);

  ElementType element() const { return element_; }
  const Shape& shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  const MeshRef& mesh_ref() const { return mesh_; }
  const Mesh& mesh() const { return *mesh_; }
  const Layout& layout() const { return layout_; }
  std::int64_t devices() const { return mesh_->devices(); }

  // The same array under another layout (checked like make).
  base::Result<ArrayType> with_layout(Layout layout) const;
  base::Result<ArrayType> with_element(ElementType element) const;

  // Syntactic equality of canonical forms.
  friend bool operator==(const ArrayType& a, const ArrayType& b);

 private:
  ElementType element_ = ElementType::f32;
  Shape shape_;
  MeshRef mesh_;
  Layout layout_;
};

// The box that a device holds. Every device of the mesh holds a tile, which may be empty.
Box tile(const ArrayType& type, std::int64_t device);
std::int64_t tile_bytes(const ArrayType& type, std::int64_t device);
std::int64_t tile_bytes_max(const ArrayType& type);
// The cuts of a dimension: where its tiles begin. They depend on the type's mesh.
Cuts cuts(const ArrayType& type, std::size_t dimension);
// Are all tiles of one size?
bool has_even_tiles(const ArrayType& type);
// One dimension's interval on a device.
Interval tile_interval(const ArrayType& type, std::size_t dimension, std::int64_t device);
// Bytes of the whole array, once.
std::int64_t array_bytes(const ArrayType& type);
// How many devices hold each element, for a type without empty tiles: devices / product of split sizes and pending
// sizes.
std::int64_t copies(const ArrayType& type);

// The language's equality of types: element types, extents, meshes, tile maps and pending sets are equal.
bool same_type(const ArrayType& a, const ArrayType& b);
// Are the tiles along one dimension equal on every device? (The dimensions may be of different arrays, on the same
// mesh.)
bool same_cuts(const ArrayType& a, std::size_t dimension_a, const ArrayType& b, std::size_t dimension_b);

// `f32[16@y,16,16@x]{+z}` as JSON and the command line write it; with a blank after commas for people: `f32[16@y, 16,
// 16@x]`.
enum class Spacing : std::uint8_t { tight, airy };
std::string print(const ArrayType& type, Spacing spacing = Spacing::airy);
// Reads what print writes, sub-axes included.
base::Result<ArrayType> parse_array_type(std::string_view text, const MeshRef& mesh);

}  // namespace tessera::synth
