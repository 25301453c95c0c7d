// Random sums on machines of levels, small enough to be carried out on real data.
#pragma once

#include "synth/moves/prices/prices.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/planner/plan.hpp"
#include "tests/synth/random_layouts.hpp"

namespace tessera::synth::test {

// From pending sums to a type without them, or with fewer; uneven and empty tiles among them.
struct RandomSum {
  ArrayType from;
  ArrayType to;
  Machine machine;
};
RandomSum random_sum(Random& random);

// The same over more members, or on more devices, than are looked at one by one.
RandomSum random_wide_sum(Random& random);

// Our planner's plan of it; a program in many of them.
Plan plan_of(const RandomSum& sum);

// A program with one thing changed.
ReduceProgram changed(ReduceProgram program, Random& random);

}  // namespace tessera::synth::test
