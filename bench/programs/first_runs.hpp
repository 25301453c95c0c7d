// `tessera-bench programs --first`: what the first run of a program in a process takes beside the runs after it.
#pragma once

#include "bench/programs/programs_bench.hpp"

namespace tessera::bench {

// Each in a process of its own, which begins without threads and without pages.
int run_first(const ProgramsBench& options);

}  // namespace tessera::bench
