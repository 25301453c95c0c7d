// A machine model out of measurements (docs/running.md).
#pragma once

#include <cstdint>

#include "tessera/tessera.hpp"

namespace tessera {

// Measures the links between the ranks of `config.team`, and between the devices of a rank: `devices` devices are dealt
// to the ranks, with 0 one to each. Then what devices can do, all at once: `flops` by a product, the bandwidth of their
// memory by a sum of two arrays; with `config.throttle` as throttled runs have them, each on a core of its own. Takes
// about `seconds_max` at most. Called on all ranks, which all get the same; only of the links between the devices of a
// rank each says what its own do. With `config.gpus` devices are on GPUs, with 0 one on each: the links between GPUs
// and between the devices of one are measured by their copies, those between ranks from GPU to GPU, and a device's
// memory is its part of what runs may have.
TESSERA_API Result<Machine> calibrate(const Config& config, std::int64_t devices = 0, double seconds_max = 30);

}  // namespace tessera
