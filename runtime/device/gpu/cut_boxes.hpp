// Arrays in a GPU's memory that pass through room beside them, part by part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// A part has at most so many bytes: less than a step finds room for, also where parts of several GPUs are rounded up.
inline constexpr std::int64_t kPartBytes = (std::int64_t{8} << 20U) - (std::int64_t{64} << 10U);

inline Address address_at(const std::byte* memory) { return reinterpret_cast<Address>(memory); }
inline std::byte* memory_at(Address address) { return reinterpret_cast<std::byte*>(address); }

inline std::int64_t bytes_of(synth::ElementType element, const synth::Shape& shape) {
  return runtime::count(shape) * synth::bytes_of(element);
}

// The parts that an array is cut into, in their order: along its first dimension, and where a row is too large, along
// those behind it.
template <class F>
base::Status for_each_part(const synth::Shape& shape, std::int64_t bytes, F&& part) {
  synth::Shape begin = shape;
  for (std::int64_t& at : begin) at = 0;
  if (shape.empty() || bytes <= kPartBytes) return part(begin, shape);
  std::size_t cut = 0;
  std::int64_t row = bytes / shape[0];
  synth::Shape most = shape;
  for (; row > kPartBytes && cut + 1 < shape.size(); row /= shape[++cut]) most[cut] = 1;
  most[cut] = std::max(kPartBytes / row, std::int64_t{1});
  for (;;) {
    synth::Shape extents = shape;
    for (std::size_t d = 0; d <= cut; ++d) extents[d] = std::min(most[d], shape[d] - begin[d]);
    TESSERA_TRY_STATUS(part(begin, extents));
    std::size_t d = cut;
    begin[d] += most[d];
    for (; begin[d] >= shape[d]; begin[d] += most[d]) {
      if (d == 0) return base::Done{};
      begin[d--] = 0;
    }
  }
}

inline runtime::TileTarget part_of(const runtime::TileTarget& to, synth::ElementType element,
                                   const synth::Shape& begin) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < begin.size(); ++d) offset += begin[d] * to.strides[d];
  return {to.strides, to.data + offset * synth::bytes_of(element)};
}

}  // namespace tessera::device
