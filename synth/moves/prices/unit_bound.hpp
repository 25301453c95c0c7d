// Private to synth: for machines too large to look at every device, the seconds in which the first unit of each level
// gets what its devices need and none of them holds, over its own link; and those in which sums cross from unit to
// unit.
//
// A placement says which coordinates the devices of a unit have: along an axis as many as the product of its factors at
// the levels inside, from a multiple of that on. So their tiles are all combinations of some places of each dimension,
// and what they need together, and hold together, is the product over the dimensions of what these places cover.
//
// Example: x:4,y:2 on 2 nodes of 4 places the first node's devices at x 0 and 1. It holds half the rows of f32[8@x,8]
// and needs all columns of f32[8,8@y]: it lacks 32 elements, whatever sends them, and in whatever order.
#pragma once

#include "synth/layout/array_type.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/place_matrix.hpp"

namespace tessera::synth {

// Both types are on one mesh, placed so on all devices of the machine; the target has no pending axes. 0 for levels of
// which this says nothing.
double first_units_bound(const Cluster& cluster, const PlaceMatrix& matrix, const ArrayType& from, const ArrayType& to);

// As the mesh lies by itself; 0 where it does not fill the machine, or no matrix says how it lies, or the meshes are
// two.
double first_units_bound(const RunMachine& machine, const ArrayType& from, const ArrayType& to);

// The seconds of sums, whose source and target are those of a placement as above: over every unit's own link, and of
// what has to cross from unit to unit over all links of a level. An element whose contributors lie in C units at the
// least and that H units need crosses C - 1 + H - 1 times, and once more if none of the H contributes; where a unit has
// all contributors, into those of the H that have not. Levels whose units are devices are left to others, which look at
// each. 0 where nothing is summed, or where the placement is not known.
double sum_crossings_bound(const RunMachine& machine, const ArrayType& from, const ArrayType& to);

}  // namespace tessera::synth
