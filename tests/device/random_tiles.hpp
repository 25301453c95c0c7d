// Tiles of random shapes that lie in random ways, for tests of kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "runtime/kernels/tile.hpp"

namespace tessera::device {

class RandomTiles {
 public:
  explicit RandomTiles(std::uint64_t seed) : generator_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(generator_);
  }
  bool chance(int percent) { return number(1, 100) <= percent; }
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(items.size()) - 1))];
  }

  // A shape of about `elements` elements, more or less; some extents are 1, few are 0.
  synth::Shape shape(std::size_t rank, std::int64_t elements);
  // Bytes that are elements of the type: any bits, but bool is 0 or 1.
  std::vector<std::byte> bytes(synth::ElementType element, std::int64_t count);
  // So many bytes of elements that are computed with: floats whose sums depend on their order, some of them no numbers,
  // infinite, or zeros of both signs.
  std::vector<std::byte> numbers(synth::ElementType element, std::size_t bytes);

 private:
  std::mt19937_64 generator_;
};

// Are these the same elements? Any NaN is as good as another.
bool are_same(synth::ElementType element, const std::vector<std::byte>& a, const std::vector<std::byte>& b);

// Memory, and a way in which an array of a shape lies in it: dimensions permuted, with gaps, backwards, repeated.
struct Lying {
  std::vector<std::byte> memory;
  synth::Shape strides;
  std::int64_t offset = 0;  // in elements

  std::byte* begin(synth::ElementType element) { return memory.data() + offset * synth::bytes_of(element); }
};

struct LyingWays {
  bool permuted = true;
  bool gaps = true;
  bool backwards = true;
  bool repeated = false;
};
Lying lying(RandomTiles& random, synth::ElementType element, const synth::Shape& shape, const LyingWays& ways);

}  // namespace tessera::device
