// What only data can make wrong in a step that devices take on their own tiles, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "runtime/engine/tiles.hpp"

namespace tessera::runtime {

// ` at element [3, 4]`: where in the whole array the tile's element of this row-major number is; nothing for a scalar.
std::string at_element(const synth::Box& box, std::int64_t position);

// An id that no row of a sum has, of so many rows.
base::Diagnostic outside_of_sums(std::int64_t id, std::int64_t rows);

// The failure of a step on a device. `number`: of a Map the row-major number of the tile's first element without a
// value; of a Take, a ScatterAdd or a OneHot the first id that is out of range.
base::Diagnostic step_failure(const Tiles& tiles, const synth::Apply& apply, std::size_t device, std::int64_t number);

}  // namespace tessera::runtime
