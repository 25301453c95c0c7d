// Private to synth: what slots take in which hops move even shares of their bytes, stretch by stretch.
//
// In slot t the hops of place i move stretch t - i. A slot takes the longest latency of its hops, and the time of the
// busiest lane with the bytes of all of them.
//
// Example: two hops in a row bring 8 bytes each over lanes of their own, at 1 byte a second, each with a latency of
// 1 second. In one stretch they take 9 + 9 seconds, in two 5 + 5 + 5, in four 5 times 3.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera::synth {

// The hops of one place in a row, all their stretches together.
struct SlotBytes {
  double latency = 0;
  const std::vector<std::int64_t>* bytes = nullptr;  // over every lane
};

// Lanes over which all slots bring as much, as fast, are looked at once, and so is every set of slots that work
// together.
class SlotPrices {
 public:
  SlotPrices(const std::vector<double>& seconds_per_byte, std::span<const SlotBytes> slots);
  double seconds(std::int64_t stretches);

 private:
  struct Together {
    double latency = 0;
    double busiest = 0;
  };
  double of(std::int64_t begin, std::int64_t end, std::int64_t stretches);

  std::vector<double> latencies_;
  // Of every lane the bytes of the slots before each, and the seconds of a byte.
  std::vector<std::pair<std::vector<std::int64_t>, double>> lanes_;
  std::vector<std::optional<Together>> together_;  // by the first slot and the last
};

}  // namespace tessera::synth
