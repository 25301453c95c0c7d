// Changes of layout of arrays whose extents do not divide.
#pragma once

#include <cstdint>
#include <utility>

#include "tests/synth/support.hpp"

namespace tessera::synth::test {

using Change = std::pair<ArrayType, ArrayType>;

// The same layouts of an array whose extents are anything up to twice the number of devices; the same for the same
// seed.
inline Change with_uneven_extents(const Change& change, std::uint64_t seed) {
  Shape shape = change.first.shape();
  const auto most = static_cast<std::uint64_t>(2 * change.first.devices());
  for (std::int64_t& extent : shape) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    extent = static_cast<std::int64_t>((seed >> 33U) % (most + 1));
  }
  const auto reshaped = [&](const ArrayType& type) {
    return *ArrayType::make(type.element(), shape, type.mesh_ref(), type.layout());
  };
  return Change{reshaped(change.first), reshaped(change.second)};
}

}  // namespace tessera::synth::test
