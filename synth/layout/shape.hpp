// The extents of an array.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fixed_vector.hpp"
#include "base/result.hpp"
#include "synth/layout/element.hpp"

namespace tessera::synth {

inline constexpr std::size_t kRankMax = 16;
using Shape = base::FixedVector<std::int64_t, kRankMax>;

std::int64_t elements(const Shape& shape);  // of a checked shape

// Fails where an extent is negative, or the array's bytes do not fit 63 bits.
base::Status check_shape(ElementType element, const Shape& shape);

}  // namespace tessera::synth
