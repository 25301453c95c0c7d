// Memory of the host's: strides and places in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::embed {

// Strides in elements; those of a dense array where none are given. Nothing where they do not fit.
std::optional<synth::Shape> element_strides(const std::vector<std::int64_t>& strides_bytes, const synth::Shape& shape,
                                            std::int64_t element_bytes);
base::Diagnostic wrong_strides(const synth::Shape& shape, std::int64_t element_bytes);
bool is_aligned(const std::byte* data, std::int64_t bytes);
// The begin of a box in the memory of an array. Strides are in elements.
std::byte* begin_of(std::byte* data, const synth::Box& box, const synth::Shape& strides, std::int64_t element_bytes);

}  // namespace tessera::embed
