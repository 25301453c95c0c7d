// Changes of layout of arrays whose extents do not divide.
#pragma once

#include <cstdint>

#include "bench/planner/problems.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {

// The same layouts of an array whose extents are anything up to twice the number of devices; the same for the same
// seed.
inline bench::Problem with_uneven_extents(const bench::Problem& change, std::uint64_t seed) {
  Shape shape = change.from.shape();
  const auto most = static_cast<std::uint64_t>(2 * change.from.devices());
  for (std::int64_t& extent : shape) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    extent = static_cast<std::int64_t>((seed >> 33U) % (most + 1));
  }
  const auto reshaped = [&](const ArrayType& type) {
    return *ArrayType::make(type.element(), shape, type.mesh_ref(), type.layout());
  };
  return bench::Problem{reshaped(change.from), reshaped(change.to)};
}

}  // namespace tessera::synth::test
