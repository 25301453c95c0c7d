// How scalars and arrays print, as docs/language.md section 9 says; who holds what.
#pragma once

#include <string>

#include "synth/program/program.hpp"

namespace tessera::runtime {

// A scalar in its shortest form that reads back: floats always with `.` or `e`; nan inf -inf True False.
std::string format_scalar(synth::ElementType element, const std::byte* bytes);
// As numpy.array2string(a, floatmode='unique') with its defaults: width 75, threshold 1000, 3 edge items.
std::string format_array(const synth::Literal& array);
// The picture of `show`: which device owns which box, replicas named together, pending sums marked, uneven tiles true
// to their sizes; small values are drawn with their elements.
std::string format_layout(const synth::ArrayType& type);

}  // namespace tessera::runtime
