// `tessera-bench redistribute`: changes of layout on simulated devices or, under mpirun, on ranks.
#pragma once

#include <string>

namespace tessera::bench {

struct RedistributeBench {
  int goes = 7;
  std::string only;  // changes whose name contains this
  bool json = false;
};
// Prints a row for each change; of a launch, rank 0 does. The exit status of the process.
int run(const RedistributeBench& options);

}  // namespace tessera::bench
