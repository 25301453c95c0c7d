// What a reduction has to know of a tile: which dimensions stay and which are reduced, and where their elements lie.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/division.hpp"

namespace tessera::kernel {

// Some of a tile's dimensions, in row-major order; their positions are counted with 31 bits.
struct ReduceDimension {
  Divisor extent;
  std::int64_t stride = 0;
};
struct ReduceWalk {
  std::int64_t rank = 0;
  ReduceDimension dimensions[16];
};

// Where the position lies. The walk is in the memory of tables, of which all threads read the same.
inline std::int64_t place_along(const ReduceWalk& walk, std::uint32_t position) {
  std::int64_t place = 0;
  for (auto d = static_cast<int>(walk.rank) - 1; d > 0; --d) {
    const std::uint32_t index = divide(position, walk.dimensions[d].extent);
    place += std::int64_t{index} * walk.dimensions[d].stride;
  }
  return walk.rank > 0 ? place + std::int64_t{position} * walk.dimensions[0].stride : 0;
}

// Elements that are read at once.
template <class T, int count>
struct alignas(sizeof(T) * count) ReadTogether {
  T at[count];
};
template <int count, class T>
void read_together(const T* from, T (&values)[count]) {
  const auto all = *reinterpret_cast<const ReadTogether<T, count>*>(from);
  TESSERA_UNROLL
  for (int k = 0; k < count; ++k) values[k] = all.at[k];
}

}  // namespace tessera::kernel
