// `tessera-bench choose`: what it takes to choose the layouts of training steps, and how far from the best possible
// they can be.
#pragma once

#include <string>

namespace tessera::bench {

struct ChooseBench {
  std::string only;  // rows whose name contains this text
  bool json = false;
  bool measured = false;  // steps by the clock of throttled devices instead
  std::string problem;    // a file of the IOPDDL contest, whose problem is solved instead
  double entries = 3e10;  // how many entries of its tables the search may look at
};
// 1 where the verifier finds a fault, or the problem of a file has no answer; 2 where it cannot be read.
int run(const ChooseBench& options);

}  // namespace tessera::bench
