// A machine model from measurements between ranks: its levels, and their links.
//
// Levels, from the outside in: hosts; clusters of hosts' ranks (rank_clusters.hpp); ranks; the devices of a rank. The
// latency of a level is the time of an empty exchange with one peer in another unit, the gap the time that each further
// peer adds, and the bandwidth that of a unit's link while all devices of all units get bytes from outside at once.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "runtime/ranks/team.hpp"
#include "synth/layout/cluster/machine.hpp"

namespace tessera::runtime {

// `devices` devices are dealt to the ranks, with 0 one to each. Takes about `seconds_max` at most. Called on all ranks.
// Fails with `not_calibrated` if hosts or ranks do not have equally many devices.
base::Result<synth::Machine> calibrate(Team& team, std::int64_t devices, double seconds_max);

}  // namespace tessera::runtime
