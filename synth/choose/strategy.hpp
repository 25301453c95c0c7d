// A strategy: the layouts of an operation's operands and of its result; and the layouts of single values.
#pragma once

#include <vector>

#include "synth/program/choice/problem.hpp"

namespace tessera::synth {

struct Strategy {
  std::vector<Layout> operands;
  Layout result;
  friend auto operator<=>(const Strategy&, const Strategy&) = default;
};

// What a node's strategies depend on, beside the node.
struct SpaceOf {
  const Mesh& mesh;
  std::vector<std::size_t> axes;  // chosen
  std::vector<AxisList> orders;   // lists of several axes that pins have, beside mesh order
};

// The layouts of a value by itself: each axis on a dimension, pending (by one of these kinds), or unused.
std::vector<Layout> layouts_of(const SpaceOf& space, const ChoiceValue& value, const std::vector<ReduceOp>& kinds);

}  // namespace tessera::synth
