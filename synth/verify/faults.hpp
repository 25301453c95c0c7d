// Private to verify: faults in words.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "synth/verify/replay.hpp"

namespace tessera::synth::verifier {

// Seconds are reached by another way than the planner's, so that the last digits may differ.
inline constexpr double kSecondsTolerance = 1e-9;

inline bool same_seconds(double a, double b) { return std::abs(a - b) <= kSecondsTolerance * std::max(a, b); }

inline Fault at(std::string_view where, const Fault& fault) {
  return fault ? Fault(fmt::format("{}: {}", where, *fault)) : Fault{};
}

// A figure by its key in JSON.
template <class T>
Fault differs(std::string_view key, const T& claimed, const T& counted) {
  if (claimed == counted) return std::nullopt;
  return fmt::format("{} says {}, the replay finds {}", key, claimed, counted);
}

inline Fault differs_in_seconds(std::string_view key, double claimed, double counted) {
  return same_seconds(claimed, counted) ? Fault{} : differs(key, claimed, counted);
}

inline Fault first_of(std::initializer_list<Fault> faults) {
  for (const Fault& fault : faults) {
    if (fault) return fault;
  }
  return std::nullopt;
}

}  // namespace tessera::synth::verifier
