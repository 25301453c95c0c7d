#include "synth/layout/array_type.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/check.hpp"
#include "synth/kinds.hpp"

namespace tessera::synth {

namespace {

using base::make;

// Extents of 0 are passed over: an array without elements must not be a way to extents whose products overflow.
bool bytes_fit(ElementType element, const Shape& shape) {
  std::int64_t left = std::numeric_limits<std::int64_t>::max() / bytes_of(element);
  for (const std::int64_t extent : shape) {
    if (extent > 0) left /= extent;
  }
  return left > 0;
}

base::Diagnostic pending_storage(ElementType element) {
  return make(Kind::storage_pending, name(element))
      .suggest(fmt::format("reduce in f32, then store: `{}(a)` of the finished sum", name(element)));
}

}  // namespace

base::Status check_shape(ElementType element, const Shape& shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0) return make(Kind::negative_extent, d, shape[d]);
  }
  if (bytes_fit(element, shape)) return base::Done{};
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  return make(Kind::size_too_large, fmt::format("`{}[{}]`", name(element), extents));
}

base::Result<ArrayType> ArrayType::make(ElementType element, Shape shape, MeshRef mesh, Layout layout) {
  return base::guarded([&]() -> base::Result<ArrayType> {
    TESSERA_TRY_STATUS(check_shape(element, shape));
    if (layout.rank() != shape.size()) return base::make(Kind::layout_rank, layout.rank(), shape.size());
    if (is_storage(element) && !layout.pending().empty()) return pending_storage(element);
    ArrayType type;
    type.element_ = element;
    type.shape_ = shape;
    type.mesh_ = std::move(mesh);
    type.layout_ = std::move(layout);
    return type;
  });
}

base::Result<ArrayType> ArrayType::replicated(ElementType element, Shape shape, MeshRef mesh) {
  return make(element, shape, std::move(mesh), Layout::replicated(shape.size()));
}

ArrayType ArrayType::scalar(ElementType element, MeshRef mesh) {
  ArrayType type;
  type.element_ = element;
  type.mesh_ = std::move(mesh);
  return type;
}

base::Result<ArrayType> ArrayType::with_layout(Layout layout) const {
  return make(element_, shape_, mesh_, std::move(layout));
}

base::Result<ArrayType> ArrayType::with_element(ElementType element) const {
  return make(element, shape_, mesh_, layout_);
}

bool operator==(const ArrayType& a, const ArrayType& b) {
  return a.element_ == b.element_ && a.shape_ == b.shape_ && (a.mesh_ == b.mesh_ || *a.mesh_ == *b.mesh_) &&
         a.layout_ == b.layout_;
}

bool same_type(const ArrayType& a, const ArrayType& b) {
  if (a == b) return true;
  const bool same_array = a.element() == b.element() && a.shape() == b.shape() && a.mesh() == b.mesh();
  const bool same_pending = a.layout().pending() == b.layout().pending() && a.layout().reduce() == b.layout().reduce();
  if (!same_array || !same_pending) return false;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (!same_cuts(a, d, b, d)) return false;
  }
  return true;
}

// Every element of a dimension cut into k parts lies on devices / k devices: unequal k never give equal tiles. With
// equal k only empty tiles can hide that two lists number them differently; then the devices are asked one by one.
bool same_cuts(const ArrayType& a, std::size_t dimension_a, const ArrayType& b, std::size_t dimension_b) {
  const std::int64_t extent = a.shape()[dimension_a];
  if (extent != b.shape()[dimension_b]) return false;
  const AxisList& first = a.layout().split(dimension_a);
  const AxisList& second = b.layout().split(dimension_b);
  if (extent == 0 || first == second) return true;
  const Cuts cuts_a = cuts(a, dimension_a);
  const Cuts cuts_b = cuts(b, dimension_b);
  if (cuts_a.tiles() != cuts_b.tiles()) return false;
  const bool same_begins = cuts_a == cuts_b;
  for (std::int64_t device = 0; device < a.devices(); ++device) {
    const std::int64_t tile_a = position(a.mesh(), first, device);
    const std::int64_t tile_b = position(b.mesh(), second, device);
    if ((tile_a != tile_b || !same_begins) && cuts_a.tile(tile_a) != cuts_b.tile(tile_b)) return false;
  }
  return true;
}

}  // namespace tessera::synth
