// Private to execute: places of boxes that are computed as a program runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

namespace tessera::runtime {

// A piece of `length` positions from `index` on that would not lie inside of a dimension, the shorter in the longer.
base::Diagnostic out_of_range(std::int64_t index, std::int64_t length, std::int64_t extent, std::size_t dimension);

}  // namespace tessera::runtime
