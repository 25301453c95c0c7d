// What a function's body moves and computes, each step as often as it is taken.
#pragma once

#include <functional>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// How often a loop counts whose number of turns is not known when the program is checked.
inline constexpr double kTurnsAssumed = 100;

// A redistribution of a body, those of functions that it calls included: once for each call.
struct CountedMove {
  NodeId node;
  double executions = 1;
};

struct BodySeconds {
  double local = 0;
  double moves = 0;
  std::vector<CountedMove> moved;  // in program order
};
BodySeconds body_seconds(const Typed& typed, const Region& body, const synth::Machine& machine);

}  // namespace tessera::typeck
