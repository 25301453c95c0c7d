// Private to synth: the walk. It takes the nodes in program order and keeps, of all ways to lay out the nodes so far,
// the cheapest for each state: what the stars that are still open have been given. A state is judged by what it took
// and by the least that is still to come, which the ascent's reduced costs say.
//
// With a limit on states it is a beam search and finds good programs. Without one, of all states below some seconds, it
// is exact: if a program takes less, it finds the best one.
#pragma once

#include <cstddef>
#include <optional>

#include "synth/choose/ascent.hpp"
#include "synth/choose/model.hpp"

namespace tessera::synth {

struct WalkLimits {
  double seconds = kEndless;        // states that lead to more are dropped
  std::size_t beam = 1'000'000;     // the best so many states are kept after each node,
  bool is_exact = true;             // or the walk ends there without an answer
  std::size_t states = 10'000'000;  // in all
};

enum class WalkEnd : std::uint8_t { found, nothing, too_many };

struct WalkResult {
  WalkEnd end = WalkEnd::nothing;
  Assignment best;
  double seconds = kEndless;
};

WalkResult walk(const Model& model, const Ascent& ascent, const WalkLimits& limits);

}  // namespace tessera::synth
