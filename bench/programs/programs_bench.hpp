// `tessera-bench programs`: the programs of examples/programs on larger arrays, on one device and on four, beside the
// same with NumPy or JAX; under mpirun on ranks, beside one process.
#pragma once

#include <string>

namespace tessera::bench {

struct ProgramsBench {
  int goes = 5;
  std::string only;
  std::string against = {};  // `numpy` or `jax`
  std::string python = "python3";
  bool first = false;  // instead, the first run of a process beside the runs after it
  bool json = false;
};
int run(const ProgramsBench& options);

}  // namespace tessera::bench
