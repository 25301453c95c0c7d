// `tessera-bench estimate`: what programs would take by `tessera estimate`, beside what they take, on a machine that
// has just been calibrated. Alone on throttled devices, under mpirun on ranks.
#pragma once

#include <string>

namespace tessera::bench {

struct EstimateBench {
  int goes = 3;      // the best of so many counts
  std::string only;  // programs whose name contains this text
  bool json = false;
};
// 1 where a peak is not that of the run, to the byte.
int run(const EstimateBench& options);

}  // namespace tessera::bench
