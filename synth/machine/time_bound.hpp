// Private to synth: what no algorithm can beat on a machine's links.
#pragma once

#include "synth/machine/machine.hpp"

namespace tessera::synth {

// The largest of three bounds, each of some unit's links: (1) what its devices need and lack, over its link in; (2)
// what lies inside it only and is needed outside, over its link out; (3) for a set of its children, what the others
// need and lack among themselves, over the links out of the set and the unit's own link in. For targets without pending
// axes; the work grows with the square of the number of devices.
double time_bound(const Machine& machine, const ArrayType& from, const ArrayType& to);

}  // namespace tessera::synth
