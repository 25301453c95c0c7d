#include "tests/device/random_tiles.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "tests/device/same_bits.hpp"

namespace tessera::device {

synth::Shape RandomTiles::shape(std::size_t rank, std::int64_t elements) {
  synth::Shape shape(rank, 1);
  std::int64_t rest = elements;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool is_last = d + 1 == rank;
    shape[d] = is_last ? number(std::max<std::int64_t>(1, rest / 2), std::max<std::int64_t>(1, rest))
                       : number(1, std::max<std::int64_t>(1, std::min<std::int64_t>(rest, 40)));
    rest = std::max<std::int64_t>(1, rest / shape[d]);
  }
  std::shuffle(shape.begin(), shape.end(), generator_);
  if (rank > 0 && chance(2)) shape[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(rank) - 1))] = 0;
  return shape;
}

std::vector<std::byte> RandomTiles::bytes(synth::ElementType element, std::int64_t count) {
  std::vector<std::byte> all(static_cast<std::size_t>(count * synth::bytes_of(element)));
  const int mask = element == synth::ElementType::boolean ? 1 : 255;
  for (std::byte& byte : all) byte = static_cast<std::byte>(number(0, 255) & mask);
  return all;
}

std::vector<std::byte> RandomTiles::numbers(synth::ElementType element, std::size_t bytes) {
  std::vector<std::byte> all = this->bytes(element, static_cast<std::int64_t>(bytes) / synth::bytes_of(element));
  synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const bool some_are_odd = chance(30);
      for (std::size_t at = 0; at + sizeof(T) <= all.size(); at += sizeof(T)) {
        T value = static_cast<T>(number(-1000000, 1000000)) / T{997};
        if (some_are_odd && chance(1)) value = std::numeric_limits<T>::quiet_NaN();
        if (some_are_odd && chance(2)) value = chance(50) ? T{-0.0} : T{0};
        if (some_are_odd && chance(1)) value = std::numeric_limits<T>::infinity();
        std::memcpy(all.data() + at, &value, sizeof value);
      }
    }
  });
  return all;
}

bool are_same(synth::ElementType element, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  if (a.size() != b.size()) return false;
  if (synth::is_storage(element)) return a == b;
  return synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t at = 0; at + sizeof(T) <= a.size(); at += sizeof(T)) {
      if (!are_same<T>(a.data() + at, b.data() + at)) return false;
    }
    return true;
  });
}

Lying lying(RandomTiles& random, synth::ElementType element, const synth::Shape& shape, const LyingWays& ways) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (ways.permuted && random.chance(70)) {
    for (std::size_t d = rank; d-- > 1;) {
      std::swap(order[d], order[static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(d)))]);
    }
  }
  Lying result;
  result.strides = synth::Shape(rank, 1);
  std::int64_t step = ways.gaps && random.chance(20) ? random.number(1, 3) : 1;
  const bool with_gaps = ways.gaps && random.chance(50);
  std::int64_t least = 0;
  for (std::size_t k = rank; k-- > 0;) {
    const std::size_t d = order[k];
    const std::int64_t extent = std::max<std::int64_t>(1, shape[d]);
    result.strides[d] = step;
    if (ways.backwards && random.chance(10)) result.strides[d] = -step;
    if (ways.repeated && random.chance(20)) result.strides[d] = 0;
    least += std::min<std::int64_t>(0, result.strides[d] * (extent - 1));
    step *= extent + (with_gaps && random.chance(50) ? random.number(0, 4) : 0);
  }
  const std::int64_t begin = ways.gaps && random.chance(50) ? random.number(0, 7) : 0;
  result.offset = begin - least;
  result.memory = random.bytes(element, begin + step + 8);
  return result;
}

}  // namespace tessera::device
