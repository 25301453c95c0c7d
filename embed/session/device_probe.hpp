// What devices can do, measured by programs of a session: products and sums of arrays.
#pragma once

#include <cstdint>

#include "tessera/tessera.hpp"

namespace tessera::embed {

// Of one device of this process, which has so many, while all work: by a product. With Config::throttle, of a device on
// a core of its own. Nothing is shared with other ranks. With Config::gpus, which are then this process's, both grow
// their arrays until a GPU is busy for some milliseconds.
Result<double> flops_per_second(const Config& config, std::int64_t devices);

// Of the memory of one device, while all work: by a sum of two arrays, in memory as runs of the team have it, which
// may cost ranks more than a process alone. `devices` of each of so many ranks. Called on all ranks; the slowest
// decides.
Result<double> bandwidth_bytes_per_second(const Config& config, std::int64_t devices, std::int64_t ranks);

}  // namespace tessera::embed
