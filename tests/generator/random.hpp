// Random numbers that are the same on every platform: SplitMix64 (Steele, Lea, Flood, 2014). No standard distribution
// is used, for they differ from one library to the next.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::generator {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  // In [0, limit); the limit is small, so the remainder's bias does not matter.
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }
  // In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class Container>
  std::size_t index(const Container& items) {
    return static_cast<std::size_t>(below(static_cast<std::int64_t>(items.size())));
  }
  template <class Container>
  const auto& pick(const Container& items) {
    return items[index(items)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace tessera::generator
