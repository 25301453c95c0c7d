// A machine model out of measurements (docs/runtime.md).
#pragma once

#include <cstdint>

#include "tessera/tessera.hpp"

namespace tessera {

// Measures the links between the ranks of `config.team`, and between the devices of a rank: so many devices are dealt
// to the ranks, 0: one to each. Takes about so many seconds at most. Of all ranks; every one gets the same levels, but
// only those of rank 0 say what the devices of a rank do.
TESSERA_API Result<Machine> calibrate(const Config& config, std::int64_t devices = 0, double seconds_max = 30);

}  // namespace tessera
