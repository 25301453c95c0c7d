#include "synth/moves/transfer/positions.hpp"

#include <set>
#include <utility>

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

std::int64_t place_of(const Digits& digits, std::int64_t position) {
  std::int64_t place = 0;
  for (const Digit& digit : digits) place = place * digit.size + digit.of(position);
  return place;
}

std::optional<Digits> digits_of(const AxisList& reduced, const AxisList& parts) {
  Digits digits;
  for (const AxisPart& part : parts) {
    std::int64_t stride = shard_count(reduced);
    bool found = false;
    for (const AxisPart& whole : reduced) {
      stride /= whole.size;
      const bool inside = whole.axis == part.axis && part.before % whole.before == 0 && end_of(part) <= end_of(whole) &&
                          end_of(whole) % end_of(part) == 0;
      if (!inside || part.cut != whole.cut) continue;
      digits.push_back({stride * (end_of(whole) / end_of(part)), part.size});
      found = true;
      break;
    }
    if (!found) return std::nullopt;
  }
  return digits;
}

Digits prime_digits(const Digits& digits) {
  Digits primes;
  for (const Digit& digit : digits) {
    std::int64_t rest = digit.size;
    for (std::int64_t prime = 2; rest > 1; ++prime) {
      while (rest % prime == 0) {
        rest /= prime;
        primes.push_back({digit.stride * rest, prime});
      }
    }
  }
  return primes;
}

bool are_distinct(const Digits& a, const Digits& b) {
  std::set<std::int64_t> strides;
  for (const Digits* digits : {&a, &b}) {
    for (const Digit& prime : prime_digits(*digits)) {
      if (!strides.insert(prime.stride).second) return false;
    }
  }
  return true;
}

std::vector<std::int32_t> others_along(const Digits& digits, std::int64_t position) {
  for (const Digit& digit : digits) position -= digit.of(position) * digit.stride;
  std::vector<std::int32_t> all{static_cast<std::int32_t>(position)};
  for (const Digit& digit : digits) {
    std::vector<std::int32_t> finer;
    for (const std::int32_t of : all) {
      for (std::int64_t value = 0; value < digit.size; ++value)
        finer.push_back(static_cast<std::int32_t>(of + value * digit.stride));
    }
    all = std::move(finer);
  }
  return all;
}

}  // namespace tessera::synth
