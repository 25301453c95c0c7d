// Private to synth: a lower bound for the time of a change of layout on a machine's links.
#pragma once

#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

// The largest of four bounds. For the links of a unit: (1) the bytes that its devices need and lack, over its link in;
// (2) the bytes that lie inside it only and are needed outside, over its link out; (3) for all sets of its children,
// the bytes that lie in the set alone and that another child needs, over the links out of the set and the unit's own
// link in (holder_bound.hpp). If sums are pending, (3) counts only sets that hold a contributor's part of some cell.
// For all links of a level: (4) how often parts of sums and their sums have to cross. For targets without pending axes;
// the work grows with the square of the number of devices.
double time_bound(const RunMachine& machine, const ArrayType& from, const ArrayType& to);

}  // namespace tessera::synth
