// Private to synth: into how many stretches what moves in slots is cut.
//
// The price decides, and it counts the latency of every slot. What a message costs beside that no model knows: so
// messages below 4 KiB have to gain more than the hundredth that can be measured, over the best number of stretches
// whose messages are larger. No message is cut finer than the largest element.
//
// Example: where c stretches take 1/c + 0.3 c seconds, messages of 4 KiB go in 2: 1.3 s, then 1.1, then 1.23. Where
// they take 1/c + 0.495 c, in one: two of half of that would gain less than a hundredth.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace tessera::synth {

// The numbers of stretches that are tried.
inline constexpr std::array<std::int64_t, 17> kStretches = {1,  2,  3,  4,  6,   8,   12,  16, 24,
                                                            32, 48, 64, 96, 128, 160, 192, 256};

// The best of them and its seconds: seconds(stretches) is the price, `message_bytes` the size of a message in one.
template <class Seconds>
std::pair<std::int64_t, double> best_stretches_of(double message_bytes, const Seconds& seconds) {
  constexpr double kFewBytes = 4096;
  constexpr double kElementBytesMax = 8;
  constexpr double kRounding = 1 - 1e-12;  // a difference by rounding alone makes nothing faster
  constexpr double kWorthFewBytes = 1.01;
  std::pair<std::int64_t, double> best{1, seconds(1)};
  double of_large_messages = best.second;
  for (const std::int64_t stretches : kStretches) {
    const double each = message_bytes / static_cast<double>(stretches);
    if (stretches == 1) continue;
    if (each < kElementBytesMax) break;
    const double now = seconds(stretches);
    if (now >= best.second * kRounding) continue;
    if (each < kFewBytes && now * kWorthFewBytes >= of_large_messages) continue;
    best = {stretches, now};
    if (each >= kFewBytes) of_large_messages = now;
  }
  return best;
}

}  // namespace tessera::synth
