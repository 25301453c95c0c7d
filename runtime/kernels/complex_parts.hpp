// Complex numbers as kernels see them, and arrays of them as two arrays of parts. Sums and products of complex numbers
// are sums and products of their parts, whose kernels fix the order in which they are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// A complex number in memory: its real part lies first, as in C, C++ and NumPy.
template <class T>
struct Complex {
  T re;
  T im;
};

enum class Part : std::uint8_t { real, imaginary };

// The real or the imaginary parts of an array of complex numbers: a view with steps twice as long.
TileView part_view(const TileView& numbers, Part part);
synth::Shape part_strides(const synth::Shape& strides);

// Dense memory for parts, which are written into an array of complex numbers when they are complete.
class PartsBuffer {
 public:
  PartsBuffer(synth::ElementType complex, const synth::Shape& shape);
  TileOut tile() const { return {element_, shape_, memory_.get()}; }

 private:
  synth::ElementType element_;
  synth::Shape shape_;
  std::unique_ptr<std::byte[]> memory_;
};
void join_parts(const TileOut& re, const TileOut& im, const TileOut& out);

}  // namespace tessera::runtime
