// A machine model from measurements between ranks: its levels, and their links.
//
// Levels, from the outside in: hosts; clusters of hosts' ranks (rank_clusters.hpp); ranks; the GPUs of a rank; the
// devices of a rank or of a GPU. The latency of a level is the time of an empty exchange with one peer in another unit,
// the gap the time that each further peer adds, and the bandwidth that of a unit's link while all devices of all units
// get bytes from outside at once.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "runtime/ranks/team.hpp"
#include "synth/layout/cluster/machine.hpp"

namespace tessera::runtime {

class Engine;

// `devices` devices are dealt to the ranks, with 0 one to each, or to each of its GPUs. Takes about `seconds_max` at
// most. With an engine devices are on its places: what ranks send comes from there and goes there. Called on all ranks.
// Fails with `not_calibrated` if hosts, ranks or GPUs do not have equally many devices.
base::Result<synth::Machine> calibrate(Team& team, std::int64_t devices, double seconds_max, Engine* engine = nullptr);

}  // namespace tessera::runtime
