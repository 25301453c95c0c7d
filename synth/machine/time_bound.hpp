// Private to synth: what no algorithm can beat on a machine's links.
#pragma once

#include "synth/machine/machine.hpp"

namespace tessera::synth {

// The largest of four bounds. Of some unit's links: (1) what its devices need and lack, over its link in; (2)
// what lies inside it only and is needed outside, over its link out; (3) over all sets of its children, what lies in
// the set alone and some child needs that does not hold it, over the links out of the set and the unit's own link in
// (holder_bound.hpp). Where sums are pending, (3) is over sets that hold a contributor's part of some cell only. Of
// all links of a level: (4) how often parts of sums and their sums have to cross. For targets without pending axes; the
// work grows with the square of the number of devices.
double time_bound(const Machine& machine, const ArrayType& from, const ArrayType& to);

}  // namespace tessera::synth
