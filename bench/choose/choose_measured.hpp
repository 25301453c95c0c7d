// What is chosen beside layouts written by hand, by the clock of throttled devices: two fast ones and six that are 1.8
// times slower.
#pragma once

#include "bench/choose/choose_bench.hpp"

namespace tessera::bench {

// A line for each program and way to lay it out, with what the model says, and then how well the model ranks them.
int run_measured(const ChooseBench& options);

}  // namespace tessera::bench
