// An elementwise operation as a loop over a run of elements.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::runtime {

// An operation on a run of n elements: out[i] is of operands[0][i * strides[0]], ... Strides count elements; `out` may
// be the memory of an operand of stride 1 whose elements have the same size.
struct MapLoop {
  void (*run)(std::byte* out, std::int64_t n, const std::byte* const* operands, const std::int64_t* strides);
  std::size_t operands;  // how many it reads; more may be given
};

}  // namespace tessera::runtime
