// Where the terms of an Einstein sum's elements lie in its operands, found as they are wanted: there may be very many.
#pragma once

#include <cstdint>

#include "runtime/kernels/contract_indices.hpp"
#include "runtime/kernels/nest.hpp"

namespace tessera::runtime {

// An operand's elements for the terms of any result, from its first one on: a nest of one array.
inline Nest<1> term_nest(const ContractIndices& indices, std::size_t operand) {
  synth::Shape shape;
  synth::Shape strides;
  for (const std::uint8_t index : indices.summed()) {
    shape.push_back(indices.extent(index));
    strides.push_back(indices.stride(operand, index));
  }
  return make_nest<1>(shape, {strides});
}

// The offsets of the terms [begin, begin + n).
inline void find_places(const Nest<1>& nest, std::int64_t begin, std::int64_t n, std::int64_t* to) {
  const std::int64_t step = nest.inner_strides()[0];
  for_runs(nest, begin, begin + n, [&](std::int64_t position, const Offsets<1>& offset, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) to[position - begin + i] = offset[0] + i * step;
  });
}

}  // namespace tessera::runtime
