// `tessera-bench choose`: what it takes to choose the layouts of training steps, and how far from the best possible
// they can be.
#pragma once

#include <string>

namespace tessera::bench {

struct ChooseBench {
  std::string only;  // rows whose name contains this text
  bool json = false;
};
// 1 where the verifier finds a fault.
int run(const ChooseBench& options);

}  // namespace tessera::bench
