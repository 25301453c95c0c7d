// What the levels of a machine are measured by.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "synth/layout/cluster/machine.hpp"

namespace tessera::runtime {

inline constexpr int kPeersMax = 4;
inline constexpr int kEmptyTimes = 50;
// Faster links and shorter waits are those of the clock.
inline constexpr double kSecondsMin = 1e-9;

// Measurements are known to three digits, at best.
inline double rounded(double figure) { return std::strtod(fmt::format("{:.3g}", figure).c_str(), nullptr); }

// The seconds that exchanges take: of next to nothing with one peer and with several, and of many bytes with one.
struct ExchangeSeconds {
  double one = 0;
  double several = 0;
  double full = 0;
};
inline synth::MachineLevel level_of(const std::string& name, std::int64_t count, const ExchangeSeconds& seconds,
                                    std::int64_t bytes) {
  const std::int64_t peers = std::min<std::int64_t>(kPeersMax, count - 1);
  const double one = std::max(seconds.one, kSecondsMin);
  const double gap =
      peers == 1 ? one : std::clamp((seconds.several - one) / static_cast<double>(peers - 1), kSecondsMin, one);
  const double moving = std::max(seconds.full - one, kSecondsMin);
  return {name, count, rounded(static_cast<double>(bytes) / moving), rounded(one), rounded(gap)};
}

}  // namespace tessera::runtime
