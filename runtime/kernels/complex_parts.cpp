#include "runtime/kernels/complex_parts.hpp"

#include <algorithm>

#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

synth::Shape part_strides(const synth::Shape& strides) {
  synth::Shape twice;
  for (const std::int64_t stride : strides) twice.push_back(2 * stride);
  return twice;
}

TileView part_view(const TileView& numbers, Part part) {
  const synth::ElementType element = synth::part_of(numbers.element);
  const std::int64_t offset = part == Part::imaginary ? synth::bytes_of(element) : 0;
  return {element, numbers.shape, part_strides(numbers.strides), numbers.data + offset};
}

PartsBuffer::PartsBuffer(synth::ElementType complex, const synth::Shape& shape)
    : element_(synth::part_of(complex)),
      shape_(shape),
      memory_(std::make_unique_for_overwrite<std::byte[]>(
          static_cast<std::size_t>(std::max<std::int64_t>(1, count(shape)) * synth::bytes_of(element_)))) {}

void join_parts(const TileOut& re, const TileOut& im, const TileOut& out) {
  synth::visit_part(out.element, [&](auto zero) {
    using T = decltype(zero);
    auto* const numbers = typed<Complex<T>>(out);
    parallel_ranges(count(out.shape), kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) numbers[i] = {typed<T>(re)[i], typed<T>(im)[i]};
    });
  });
}

}  // namespace tessera::runtime
