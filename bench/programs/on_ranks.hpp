// `mpirun -np N tessera-bench programs`: the programs on N ranks with a device each, beside one process.
#pragma once

#include "bench/programs/programs_bench.hpp"

#include <tessera/mpi.hpp>

namespace tessera::bench {

int run_on_ranks(const ProgramsBench& options, const Launch& launch);

}  // namespace tessera::bench
