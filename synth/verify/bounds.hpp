// Private to verify: the verifier's own lower bound for the seconds of a change of layout, from the definition in
// docs/redistribution.md.
#pragma once

#include "synth/moves/prices/prices.hpp"
#include "synth/verify/holdings.hpp"

namespace tessera::synth::verifier {

// Above 512 devices only what each device lacks.
double least_seconds(const Holdings& from, const Holdings& to, const RunMachine& machine, std::int64_t element_bytes);

// What the devices of a unit need together, and do not hold together, over the unit's link; of the unit that takes
// longest. Of sums also what only one unit has, and all that crosses from unit to unit over all links of a level. Units
// whose different tiles are not all combinations of some intervals of each dimension do not count, nor does a level
// with one for what crosses.
double least_seconds_of_units(const Holdings& from, const Holdings& to, const RunMachine& machine,
                              std::int64_t element_bytes);

}  // namespace tessera::synth::verifier
