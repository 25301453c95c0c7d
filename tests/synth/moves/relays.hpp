// Random changes of layout on machines of levels, small enough to be carried out on real data.
#pragma once

#include "synth/moves/prices/prices.hpp"
#include "synth/planner/plan.hpp"
#include "tests/synth/random_layouts.hpp"

namespace tessera::synth::test {

struct RandomChange {
  ArrayType from;
  ArrayType to;
  Machine machine;
};
RandomChange random_change(Random& random);

// From one mesh to another, on sixteen devices of a machine of two levels.
RandomChange random_change_between(Random& random);

// A plan of such a change on one mesh; a relay in many of them.
Plan random_relay_plan(Random& random);

}  // namespace tessera::synth::test
