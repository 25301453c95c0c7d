// A machine model of what ranks measure: which levels there are, and their links.
//
// Levels, from the outside in: hosts; clusters of hosts' ranks (rank_clusters.hpp); ranks; the devices of a rank. Of
// each, the latency is that of an exchange of nothing with one peer in another unit, the gap what each further peer
// adds, and the bandwidth that of a unit's link while all devices of all units get bytes from outside at once.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "runtime/ranks/team.hpp"
#include "synth/cluster/machine.hpp"

namespace tessera::runtime {

// So many devices are dealt to the ranks, 0: one to each. It takes about so many seconds at most. Of all ranks. Fails
// with `not_calibrated` where hosts or ranks have not equally many of them.
base::Result<synth::Machine> calibrate(Team& team, std::int64_t devices, double seconds_max);

}  // namespace tessera::runtime
