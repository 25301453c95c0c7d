// Private to synth: what no algorithm can beat that brings the boxes of several arrays to those who need them.
#pragma once

#include <vector>

#include "synth/cluster/cluster.hpp"
#include "synth/transfer/relay_recipe.hpp"

namespace tessera::synth {

// The bounds (1) to (3) of `time_bound`, of all tasks together: what a unit's devices need and lack, over its link in;
// what lies in a unit only and is needed outside, over its link out; and what lies in a set of a unit's children alone,
// over the links out of the set and the unit's own link in. An element counts one byte for each of its task's arrays.
double tasks_bound(const Cluster& cluster, const std::vector<RelayTask>& tasks);

}  // namespace tessera::synth
