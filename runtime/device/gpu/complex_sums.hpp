// Sums of complex numbers, which kernels take as sums of real ones.
#pragma once

#include <cstdint>

#include "runtime/engine/engine.hpp"

namespace tessera::device {

// A sum of complex numbers is a sum of their real parts and one of their imaginary parts.
inline runtime::BoxSum part_of_sum(runtime::BoxSum sum, bool is_imaginary) {
  const synth::ElementType part = synth::part_of(sum.parts[0].element);
  const std::int64_t offset = is_imaginary ? synth::bytes_of(part) : 0;
  const auto twice = [](const synth::Shape& strides) {
    synth::Shape all;
    for (const std::int64_t stride : strides) all.push_back(2 * stride);
    return all;
  };
  for (runtime::TileView& own : sum.parts) own = {part, own.shape, twice(own.strides), own.data + offset};
  sum.to = {twice(sum.to.strides), sum.to.data + offset};
  return sum;
}

// All sums of a list are of one type.
inline bool are_complex(const runtime::ItemList<runtime::BoxSum>& sums) {
  return sums.size() > 0 && synth::is_complex(sums.at(0).parts[0].element);
}
template <class F>
base::Status in_parts(const runtime::ItemList<runtime::BoxSum>& sums, const F& combine) {
  const auto part = [&](std::int64_t i) { return part_of_sum(sums.at(i / 2), i % 2 != 0); };
  return combine(runtime::ItemList<runtime::BoxSum>(2 * sums.size(), part));
}

}  // namespace tessera::device
