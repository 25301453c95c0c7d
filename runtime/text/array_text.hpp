// Scalars and arrays as text: docs/language.md section 9.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/kernels/tile.hpp"
#include "runtime/memory/gather.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

std::string scalar_text(synth::ElementType element, const std::byte* bytes);

// The elements of an array that are printed: all of them, or, above 1000 elements, the first and last three of every
// longer dimension.
struct Corners {
  synth::Shape shape;     // of the elements printed
  std::vector<bool> cut;  // by dimension: is something left out after the third?
};
Corners corners_of(const synth::Shape& shape);
// The boxes of the array that the corners are, and where each starts among them.
struct CornerBox {
  synth::Box box;
  synth::Shape begin;
};
std::vector<CornerBox> corner_boxes(const synth::Shape& shape, const Corners& corners);

// The array whose corners these are (dense, row-major).
std::string corners_text(const Corners& corners, synth::ElementType element, const std::byte* bytes);

// Texts of the elements of an array, as wide as each other, as NumPy's would be.
std::vector<std::string> element_texts(synth::ElementType element, const std::byte* bytes, std::int64_t n,
                                       bool is_array);

// As `print` writes it; only what is shown is gathered: the parcels that the second names.
std::string value_text(const Gatherer& array);
std::string value_text(const Gatherer& array, const ParcelSource& source);
std::vector<TileBox> parcels_shown(const Gatherer& array);

}  // namespace tessera::runtime
