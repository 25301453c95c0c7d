// A tile's dimensions in two groups, kept and reduced, each walked in row-major order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "runtime/kernels/nest.hpp"

namespace tessera::runtime {

// The dimensions of a view chosen by number, as a view of their own (at the same memory).
inline TileView chosen_dimensions(const TileView& view, std::span<const std::uint8_t> dimensions) {
  TileView part{view.element, {}, {}, view.data};
  for (const std::uint8_t d : dimensions) {
    part.shape.push_back(view.shape[d]);
    part.strides.push_back(view.strides[d]);
  }
  return part;
}

// All dimensions of a rank that are not in the (ascending) list, ascending.
inline base::FixedVector<std::uint8_t, synth::kRankMax> other_dimensions(std::size_t rank,
                                                                         std::span<const std::uint8_t> dimensions) {
  base::FixedVector<std::uint8_t, synth::kRankMax> others;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto dimension = static_cast<std::uint8_t>(d);
    if (std::find(dimensions.begin(), dimensions.end(), dimension) == dimensions.end()) others.push_back(dimension);
  }
  return others;
}

}  // namespace tessera::runtime
