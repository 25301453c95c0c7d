#include "synth/layout/cuts.hpp"
#include "base/wide.hpp"

namespace tessera::synth {

std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product / c;
  return static_cast<std::int64_t>(static_cast<base::Wide>(a) * b / c);
}

Interval share(std::int64_t n, std::int64_t count, std::int64_t index) {
  return Interval{scaled(index, n, count), scaled(index + 1, n, count)};
}

Cuts::Cuts(std::int64_t extent, const AxisList& split) : extent_(extent), tiles_(shard_count(split)) {}

std::int64_t Cuts::place_of(std::int64_t element) const {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(element + 1, tiles_, &product)) return (product - 1) / extent_;
  return static_cast<std::int64_t>((static_cast<base::Wide>(element + 1) * tiles_ - 1) / extent_);
}

}  // namespace tessera::synth
