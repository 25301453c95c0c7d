// Arrays in a GPU's memory that pass through room beside them, part by part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// A part has at most so many bytes, if it has more than one row.
inline constexpr std::int64_t kPartBytes = std::int64_t{64} << 20U;

inline Address address_at(const std::byte* memory) { return reinterpret_cast<Address>(memory); }
inline std::byte* memory_at(Address address) { return reinterpret_cast<std::byte*>(address); }

inline std::int64_t bytes_of(synth::ElementType element, const synth::Shape& shape) {
  return runtime::count(shape) * synth::bytes_of(element);
}

// The parts that an array is cut into along its first dimension of more than one element, in their order.
template <class F>
base::Status for_each_part(const synth::Shape& shape, std::int64_t bytes, F&& part) {
  std::size_t cut = 0;
  while (cut < shape.size() && shape[cut] == 1) ++cut;
  synth::Shape begin = shape;
  for (std::int64_t& at : begin) at = 0;
  if (cut == shape.size() || bytes <= kPartBytes) return part(begin, shape);
  const std::int64_t rows = std::max(shape[cut] * kPartBytes / bytes, std::int64_t{1});
  for (; begin[cut] < shape[cut]; begin[cut] += rows) {
    synth::Shape extents = shape;
    extents[cut] = std::min(rows, shape[cut] - begin[cut]);
    TESSERA_TRY_STATUS(part(begin, extents));
  }
  return base::Done{};
}

inline runtime::TileTarget part_of(const runtime::TileTarget& to, synth::ElementType element,
                                   const synth::Shape& begin) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < begin.size(); ++d) offset += begin[d] * to.strides[d];
  return {to.strides, to.data + offset * synth::bytes_of(element)};
}

}  // namespace tessera::device
