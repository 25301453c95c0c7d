// Private to synth: a lower bound for bringing the boxes of several arrays to the devices that need them.
#pragma once

#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

// The bounds (1) to (3) of `time_bound`, for all tasks together: the bytes that a unit's devices need and lack, over
// its link in; the bytes that lie in a unit only and are needed outside, over its link out; and the bytes that lie in a
// set of a unit's children alone, over the links out of the set and the unit's own link in. An element counts one byte
// for each of its task's arrays.
double tasks_bound(const Cluster& cluster, const std::vector<RelayTask>& tasks);

}  // namespace tessera::synth
